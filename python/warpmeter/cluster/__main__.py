"""`python -m warpmeter.cluster`."""

import sys

from .job import main

sys.exit(main(sys.argv[1:]))
