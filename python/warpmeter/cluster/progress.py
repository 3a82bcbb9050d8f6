"""What the user sees meanwhile: one line on a terminal, and messages."""

import sys
import time


class Progress:
    """Of one thread. wanted: the line is shown, if standard error is a terminal; messages are written in any case."""

    def __init__(self, wanted: bool) -> None:
        self._shown = wanted and sys.stderr.isatty()
        self._width = 0
        self._last = 0.0

    def show(self, text: str) -> None:
        if self._shown and time.monotonic() - self._last > 0.1:
            self._last = time.monotonic()
            sys.stderr.write("\r" + text.ljust(self._width))
            sys.stderr.flush()
            self._width = len(text)

    def wipe(self) -> None:
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()
            self._width = 0

    def say(self, line: str) -> None:
        self.wipe()
        printable = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)
        print(f"warpmeter: {printable}", file=sys.stderr, flush=True)


def human_size(size: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TiB"
