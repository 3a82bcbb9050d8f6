"""The program that the package carries."""

import os
import sys
from pathlib import Path

PROGRAM = str(Path(__file__).parent / "bin" / "warpmeter")


def main() -> None:
    """Becomes the program: the console script `warpmeter`. Of its commands, `cluster` is one of this package."""
    if sys.argv[1:2] == ["cluster"]:
        from .cluster.command import main as cluster

        sys.exit(cluster(sys.argv[2:]))
    os.execv(PROGRAM, ["warpmeter", *sys.argv[1:]])
