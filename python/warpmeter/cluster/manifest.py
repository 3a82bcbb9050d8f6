"""What of a job is done: JSON files in its work folder, each written whole behind what it tells of.

    job.json           whose work this is
    done/KEY.json      a mark: what a task returned

A key is made of all that the task's result follows from, so that a mark of other inputs or options is never met.
Others may be able to write in a work folder, and a disk may have a bit error: a mark is taken only if it names nothing
but files that the task of its key creates, and says of them what such a task does.
"""

import hashlib
import json
import re
import secrets
from collections.abc import Callable
from typing import Any

from .._errors import Error
from . import program
from .store import Store

TOPS = {"decode": "sets", "meter": "flows"}  # in the work folder, by the kind of a task
FLOWS = "flows.csv"  # of a partition, until they are merged
KEY = re.compile(r"(decode|meter)-[0-9a-f]+")
FILES = {
    "decode": re.compile(r"part-\d{2,}-of-\d{2,}\.segments", re.ASCII),
    "meter": re.compile(rf"{re.escape(FLOWS)}|hour=\d{{4}}-\d\d-\d\dT\d\d/part-\d{{2,}}\.\w+", re.ASCII),
}
COUNTED_BY_NAME = ("ignored", "not_ip", "unopened_tunnels", "totals", "flows_by_end_reason")
METERED = ("rows", "evicted_flows", "late_packets", "holes_dropped")  # of what --stats of extract tells
MOST = 1 << 64  # no count has so much

Check = Callable[[Any], bool]


def key_of(kind: str, *what: Any) -> str:
    """Of values that JSON has."""
    text = json.dumps([kind, *what], sort_keys=True, separators=(",", ":"))
    return f"{kind}-{hashlib.sha256(text.encode()).hexdigest()[:24]}"


def new_folder(key: str) -> str:
    """For what one try of this task writes."""
    return f"{TOPS[key.split('-', 1)[0]]}/{key}-{secrets.token_hex(4)}"


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


def _trouble_with_fields(kind: str, mark: dict[str, Any]) -> str:
    """What a mark of this kind, "decode" or "meter", has in the fields that the rest of the job relies on, and no task
    writes; empty: nothing. REQUIRES: it has a folder or None, and what it has for files is none, or a dict."""
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


def _is_folder_of(key: str, folder: str) -> bool:
    return re.fullmatch(rf"{TOPS[key.split('-', 1)[0]]}/{key}-[0-9a-f]{{8}}", folder) is not None


def _trouble_with(key: str, result: dict[str, Any]) -> str:
    """Why this is no mark of a task of this key: its folder, its files or its fields are not such as the task creates.
    Empty: it is one. The mark of publishing has none of these."""
    found, folder, files = KEY.fullmatch(key), result.get("folder"), result.get("files", {})
    if not result:
        return "it cannot be read"
    if not found:
        return "it names files of no task" if folder is not None or files else ""
    kind = found[1]
    if "folder" not in result or not (folder is None or (isinstance(folder, str) and _is_folder_of(key, folder))):
        return "its folder is none that the task creates"
    if not isinstance(files, dict) or not all(FILES[kind].fullmatch(name) for name in files):
        return "its files are none that the task creates"
    return _trouble_with_fields(kind, result)


def mark(store: Store, key: str, result: dict[str, Any]) -> None:
    """Content first: all that `result` names is in the store already."""
    store.write(f"done/{key}.json", json.dumps(result, indent=1))


def _difference(one: Any, other: Any) -> str:
    """Of two jobs, the first option that is not the same."""
    for name in sorted({*one, *other}):
        if one.get(name) != other.get(name):
            return f"{name} was {json.dumps(one.get(name))} and is {json.dumps(other.get(name))} now"
    return "it says so otherwise"


class Manifest:
    """Of the driver, on one thread."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.results: dict[str, dict[str, Any]] = {}
        self.refused: list[str] = []  # lines for the user: marks that are none

    def begin(self, job: dict[str, Any], fresh: bool) -> None:
        """Takes up what is there of the same job. Raises Error if it is another's, unless `fresh` removes all."""
        text = None if fresh else self._store.read("job.json")
        if fresh:
            self._remove()
        elif text is not None:
            before = _json(text)
            if before != job:
                raise Error(
                    f"{self._store.url}: has the work of another job ({_difference(before, job)}); "
                    "--fresh starts over, --work names another folder"
                )
            self._read_marks()
            return
        elif self._store.names(""):
            raise Error(f"{self._store.url}: is not empty, and no work of a job; --work names another folder")
        self._store.write("job.json", json.dumps(job, indent=1, sort_keys=True))

    def _read_marks(self) -> None:
        """Those whose content is there, as files and not as links to others."""
        there = self._store.below("sets") | self._store.below("flows")
        for name, text in self._store.read_all("done").items():
            if not name.endswith(".json"):
                continue
            result, key = _json(text), name.removesuffix(".json")
            if trouble := _trouble_with(key, result):
                self.refused.append(f"{self._store.url}/done/{name}: no mark of this job, and passed over: {trouble}")
                continue
            folder = result.get("folder")
            if folder is None or all(f"{folder}/{file}" in there for file in result.get("files", ())):
                self.results[key] = result

    def add(self, key: str, result: dict[str, Any]) -> None:
        self.results[key] = result

    def let_go(self, key: str) -> None:
        """The segments of a set that another one has, too: the mark stays, and tells its times."""
        folder = self.results.get(key, {}).get("folder")
        if folder:
            self.results[key] = {**self.results[key], "folder": None, "let_go": True}
            mark(self._store, key, self.results[key])
            self._store.remove(folder)

    def _remove(self) -> None:
        """Only what is a job's."""
        for name in ("done", "sets", "flows", "job.json"):
            self._store.remove(name)

    def end(self) -> None:
        self._remove()
        if not self._store.names(""):
            self._store.remove()


def _json(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
