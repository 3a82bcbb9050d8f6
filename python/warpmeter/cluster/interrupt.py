"""Signals that end a job: each is KeyboardInterrupt then, as Ctrl-C is."""

import signal
from typing import Any


def _interrupt(*_: Any) -> None:
    raise KeyboardInterrupt


def watch_for_interrupt() -> None:
    """On the main thread. To be called again after Ray, which has handlers of its own, has started."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
