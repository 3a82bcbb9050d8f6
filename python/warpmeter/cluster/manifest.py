"""What of a job is done: JSON files in its work folder, each written whole behind what it tells of.

    job.json           whose work this is
    done/KEY.json      a mark: what a task returned

A key is made of all that the task's result follows from, so that a mark of other inputs or options is never met.
Others may be able to write in a work folder, and a disk may have a bit error: a mark is taken only if it names nothing
but files that the task of its key creates, and says of them what such a task does (mark_fields.py).
"""

import hashlib
import json
import re
import secrets
from typing import Any

from .._errors import Error
from .mark_fields import trouble_with
from .store import Store

TOPS = {"decode": "sets", "meter": "flows"}  # in the work folder, by the kind of a task
FLOWS = "flows.csv"  # of a partition, until they are merged
KEY = re.compile(r"(decode|meter)-[0-9a-f]+")
FILES = {
    "decode": re.compile(r"part-\d{2,}-of-\d{2,}\.segments", re.ASCII),
    "meter": re.compile(rf"{re.escape(FLOWS)}|hour=\d{{4}}-\d\d-\d\dT\d\d/part-\d{{2,}}\.\w+", re.ASCII),
}


def key_of(kind: str, *what: Any) -> str:
    """Of values that JSON has."""
    text = json.dumps([kind, *what], sort_keys=True, separators=(",", ":"))
    return f"{kind}-{hashlib.sha256(text.encode()).hexdigest()[:24]}"


def new_folder(key: str) -> str:
    """For what one try of this task writes."""
    return f"{TOPS[key.split('-', 1)[0]]}/{key}-{secrets.token_hex(4)}"


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
    return trouble_with(kind, result)


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
