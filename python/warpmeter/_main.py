"""The console script `warpmeter`."""

import os
import sys

from ._program import PROGRAM


def main() -> None:
    """Becomes the program that the package carries. Of its commands, `cluster` is one of this package."""
    if sys.argv[1:2] == ["cluster"]:
        from .cluster.job import main as cluster  # imported here: other commands save its 30 ms

        sys.exit(cluster(sys.argv[2:]))
    os.execv(PROGRAM, ["warpmeter", *sys.argv[1:]])
