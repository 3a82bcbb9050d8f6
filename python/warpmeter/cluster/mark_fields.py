"""The fields of marks that the rest of a job relies on. Others may be able to write in a work folder, and a disk may
have a bit error: what tasks write is known, and any other value would end the job far from the mark that has it."""

from collections.abc import Callable
from typing import Any

from . import program

Check = Callable[[Any], bool]

COUNTED_BY_NAME = ("ignored", "not_ip", "unopened_tunnels", "totals", "flows by end reason")
METERED = ("rows", "evicted flows", "late packets", "holes dropped")  # of what --stats of extract tells
MOST = 1 << 64


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < MOST


def _is_time(value: Any) -> bool:
    return value is None or (type(value) is int and abs(value) < MOST)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _are_counts(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_count, value.values()))


def _are_counters(value: Any) -> bool:
    return isinstance(value, dict) and all(
        (_are_counts if name in COUNTED_BY_NAME else _is_count)(one) for name, one in value.items()
    )


def _are_lines(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(line, str) for line in value)


def _is_place(value: Any) -> bool:
    """Of damage."""
    return (
        isinstance(value, dict)
        and all(isinstance(value.get(name), str) for name in ("file", "reason"))
        and _is_count(value.get("offset"))
        and _is_count(value.get("skipped", 0))
    )


def _are_places(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_place, value))


def _is_stats(value: Any) -> bool:
    return isinstance(value, dict) and _are_counters(
        {name: value[name] for name in (*COUNTED_BY_NAME, *METERED) if name in value}
    )


FIELDS: dict[str, dict[str, Check]] = {
    "decode": {
        "packets": _is_count, "first_ns": _is_time, "latest_ns": _is_time, "counters": _are_counters,
        "damage": _are_places, "unreadable": _are_lines, "passed_over": _is_count,
    },
    "meter": {"stats": _is_stats},
}  # fmt: skip


def trouble_with(kind: str, mark: dict[str, Any]) -> str:
    """What a mark of this kind, "decode" or "meter", has and no task writes; empty: nothing. REQUIRES: it has a folder
    or None, and what it has for files is none, or a dict."""
    for name, is_right in {**FIELDS[kind], "files": _are_counts}.items():
        if name not in mark:
            return f"it has no {name}"
        if not is_right(mark[name]):
            return f"what it has for {name} is not what a task writes"
    folder, files = mark["folder"], mark["files"]
    if kind == "meter":
        return "" if folder else "it has no folder"
    if folder and set(files) != {program.segment_file(n, len(files)) for n in range(1, len(files) + 1)}:
        return "it does not have the files of all parts"
    if folder and not files:
        return "it has no files"
    first, latest = mark["first_ns"], mark["latest_ns"]
    if (first is None) != (latest is None) or (first is not None and first > latest):
        return "its times contradict each other"
    return "" if _is_flag(mark.get("let_go", False)) else "what it has for let_go is not what a task writes"
