"""The program that the package carries."""

from pathlib import Path

PROGRAM = str(Path(__file__).parent / "bin" / "warpmeter")
