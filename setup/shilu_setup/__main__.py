"""`python -m shilu_setup`: the deployer without an installation."""

import sys

from shilu_setup.cli import main

sys.exit(main())
