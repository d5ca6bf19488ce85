"""`python -m shilu_host.daemon`: the daemon, as clients start it."""

import sys

from shilu_host.daemon.main import main

sys.exit(main(sys.argv[1:]))
