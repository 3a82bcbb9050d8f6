"""Which captures are decoded by one task."""

from collections.abc import Sequence

from .captures import Capture

MOST = 256  # captures of a task


def groups(captures: Sequence[Capture], most_bytes: int) -> list[tuple[Capture, ...]]:
    """Small ones that follow each other by name, together up to so many bytes; each other alone."""
    found: list[tuple[Capture, ...]] = []
    open_bytes = 0  # of the last group, as long as it may grow
    for capture in captures:
        if found and open_bytes + capture.size <= most_bytes and len(found[-1]) < MOST:
            found[-1] += (capture,)
            open_bytes += capture.size
        else:
            found.append((capture,))
            open_bytes = capture.size
    return found
