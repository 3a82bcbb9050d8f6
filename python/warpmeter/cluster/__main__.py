"""`python -m warpmeter.cluster`."""

import sys

from .command import main

sys.exit(main(sys.argv[1:]))
