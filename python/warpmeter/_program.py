"""The program that the package carries."""

import os
import sys
from pathlib import Path

PROGRAM = str(Path(__file__).parent / "bin" / "warpmeter")


def main() -> None:
    """Becomes the program: the console script `warpmeter`."""
    os.execv(PROGRAM, ["warpmeter", *sys.argv[1:]])
