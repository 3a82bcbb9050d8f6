"""Segment sets, as their marks tell of them, and which of them overlap in time."""

from collections.abc import Iterable
from dataclasses import dataclass

from .captures import Capture


@dataclass(frozen=True)
class SegmentSet:
    """Times: of the first packet, and the latest of any; None if there is none. key: of its mark."""

    key: str
    captures: tuple[Capture, ...]
    first_ns: int | None
    latest_ns: int | None


def chains(sets: Iterable[SegmentSet]) -> list[list[SegmentSet]]:
    """Sets in the order of time, those together of which one begins before the latest packet of those before it. Of
    such a chain the packets have to be merged one by one; one of a single set is exact as it is. Sets without packets
    come last."""
    in_order = sorted(
        sets,
        key=lambda one: (
            one.first_ns is None,
            one.first_ns or 0,
            [c.name.encode(errors="surrogateescape") for c in one.captures],
        ),
    )
    found: list[list[SegmentSet]] = []
    latest = None
    for one in in_order:
        if one.first_ns is None or latest is None or one.first_ns >= latest:
            found.append([one])
        else:
            found[-1].append(one)
        if one.latest_ns is not None:
            latest = one.latest_ns if latest is None else max(latest, one.latest_ns)
    return found


def captures_of(chain: Iterable[SegmentSet]) -> tuple[Capture, ...]:
    """All of them, by name."""
    captures = {capture for one in chain for capture in one.captures}
    return tuple(sorted(captures, key=lambda capture: capture.name.encode(errors="surrogateescape")))
