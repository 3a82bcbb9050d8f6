"""How far a run has read, for whoever waits for it."""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Union

from ._errors import UsageError

TELL_EVERY = 0.2  # seconds


def _amount(value: float, units: tuple[str, ...] = ("", " k", " M", " G", " T")) -> str:
    for unit in units[:-1]:
        if value < 1000:
            return f"{value:.3g}{unit}"
        value /= 1000
    return f"{value:.3g}{units[-1]}"


@dataclass(frozen=True)
class Progress:
    """How far a run has read its captures.

    bytes_read: of the files, as they lie on the disk: packed ones in packed bytes.
    bytes_in_all: how many there are; None where that is not known, as of a pipe.
    packets_read: packets so far.
    seconds: since the run began.
    """

    bytes_read: int
    bytes_in_all: int | None
    packets_read: int
    seconds: float

    @property
    def share(self) -> float | None:
        """From 0 to 1; None where it is not known."""
        return min(self.bytes_read / self.bytes_in_all, 1.0) if self.bytes_in_all else None

    def __str__(self) -> str:
        text = f"{_amount(self.bytes_read)}B"
        if self.share is not None and self.bytes_in_all is not None:
            text += f" of {_amount(self.bytes_in_all)}B ({self.share:.0%})"
        if self.seconds > 0:
            text += f", {_amount(self.packets_read / self.seconds)} packets/s"
        return text


Wanted = Union[bool, Callable[[Progress], object], None]


class Watch:
    """Tells of a run some times a second, in the thread that waits for it, and once at its end."""

    def __init__(self, wanted: Wanted) -> None:
        if not (wanted is None or isinstance(wanted, bool) or callable(wanted)):
            raise UsageError("progress: True, or a function that is called with a Progress")
        self._shows = wanted is True
        self._tell = wanted if callable(wanted) else self._show
        self.is_wanted = bool(wanted)
        self._began = time.monotonic()
        self._told = self._began
        self._width = 0

    def _show(self, progress: Progress) -> None:
        text = str(progress)
        # A notebook knows no other way to go back than \r, and a shorter line has to cover the longer one before.
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()
        self._width = len(text)

    def look(self, numbers: Callable[[], tuple[int, int, int]], at_end: bool = False) -> None:
        now = time.monotonic()
        if not self.is_wanted or (now - self._told < TELL_EVERY and not at_end):
            return
        self._told = now
        bytes_read, in_all, packets = numbers()
        self._tell(Progress(bytes_read, in_all or None, packets, now - self._began))
        if at_end:
            self.end()

    def end(self) -> None:
        """The line stays where it is, and what comes next begins another one."""
        if self._shows and self._width:
            self._width = 0
            sys.stderr.write("\n")
