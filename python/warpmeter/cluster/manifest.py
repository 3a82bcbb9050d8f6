"""What of a job is done: JSON files in its work folder, each written whole behind what it tells of.

    job.json           whose work this is
    done/KEY.json      a mark: what a task returned

A key is made of all that the task's result follows from, so that a mark of other inputs or options is never met.
"""

import hashlib
import json
from typing import Any

from .._errors import Error
from .store import Store


def key_of(kind: str, *what: Any) -> str:
    """Of values that JSON has."""
    text = json.dumps([kind, *what], sort_keys=True, separators=(",", ":"))
    return f"{kind}-{hashlib.sha256(text.encode()).hexdigest()[:24]}"


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
        """Those whose content is there."""
        there = self._store.below("sets") | self._store.below("flows")
        for name, text in self._store.read_all("done").items():
            result = _json(text)
            folder = result.get("folder")
            whole = not folder or all(f"{folder}/{file}" in there for file in result.get("files", ()))
            if name.endswith(".json") and result and whole:
                self.results[name.removesuffix(".json")] = result

    def add(self, key: str, result: dict[str, Any]) -> None:
        self.results[key] = result

    def let_go(self, key: str) -> None:
        """The segments of a set that another one has, too: the mark stays, and tells its times."""
        folder = self.results[key].get("folder")
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
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
