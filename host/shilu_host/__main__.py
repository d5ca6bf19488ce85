"""`python -m shilu_host` is `shilu`."""

import sys

from shilu_host.cli import main

sys.exit(main())
