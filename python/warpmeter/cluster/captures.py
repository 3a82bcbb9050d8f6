"""The inputs of a job: which captures there are, before anything is read, and which of them are decoded together: small
ones that follow each other, and those that overlap in time."""

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._errors import CaptureError, UsageError
from .store import PATTERN, filesystem_of, is_url, local_path, order_of

MARKS = ("ETag", "etag", "content_md5", "md5Hash", "mtime", "LastModified", "last_modified", "updated", "created")
MOST_TOGETHER = 256  # captures of a task


@dataclass(frozen=True)
class Capture:
    """name: as the user knows it. place: a path for nodes, which is absolute, or a URL. mark: changes if bytes do."""

    name: str
    place: str
    size: int
    mark: str
    in_folder: bool = False  # it was not named, and may be something else than a capture

    @property
    def is_local(self) -> bool:
        return not is_url(self.place)

    @property
    def identity(self) -> list[Any]:
        return [self.name, self.place, self.size, self.mark]


@dataclass
class Found:
    """captures: by their names, each once. unreadable: lines for the user about what is not there."""

    captures: list[Capture] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    passed_over: int = 0
    again: int = 0  # there under another name, too
    folders_below: int = 0


def _mark_of(info: dict[str, Any]) -> str:
    return next((str(info[key]) for key in MARKS if info.get(key) is not None), "")


class _Listing:
    def __init__(self, recursive: bool) -> None:
        self.recursive = recursive
        self.found = Found()
        self._known: set[Any] = set()

    def _add(self, capture: Capture, identity: Any) -> None:
        if identity in self._known:
            self.found.again += 1
            return
        self._known.add(identity)
        self.found.captures.append(capture)

    def add(self, name: str) -> None:
        path = local_path(name)
        if path is None:
            self._add_url(name)
        elif os.path.lexists(path) or not PATTERN.search(path):
            self._add_path(path)
        else:
            paths = glob.glob(path, recursive=True)
            if not paths:
                self.found.unreadable.append(f"{name}: matches nothing")
            for one in sorted(paths, key=order_of):
                self._add_path(one)

    def _add_path(self, path: str) -> None:
        before = len(self.found.captures) + len(self.found.unreadable) + self.found.again
        if not os.path.isdir(path):
            self._add_file(path, in_folder=False)
            return
        for one in sorted(self._below(path), key=order_of):
            self._add_file(one, in_folder=True)
        if before == len(self.found.captures) + len(self.found.unreadable) + self.found.again:
            self.found.unreadable.append(f"{path}: no capture files in this folder")

    def _below(self, folder: str) -> Iterator[str]:
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            self.found.unreadable.append(f"{folder}: {error.strerror}")
            return
        for entry in entries:
            if not entry.is_dir():
                yield entry.path
            elif not self.recursive:
                self.found.folders_below += 1
            elif (known := (entry.stat().st_dev, entry.stat().st_ino)) not in self._known:
                self._known.add(known)
                yield from self._below(entry.path)

    def _add_file(self, path: str, in_folder: bool) -> None:
        try:
            status = os.stat(path)
        except OSError as error:
            self.found.unreadable.append(f"{path}: {error.strerror}")
            return
        if not os.path.isfile(path):
            if in_folder:
                self.found.passed_over += 1
                return
            raise UsageError(f"{path}: is no file; nodes read files")
        capture = Capture(path, os.path.abspath(path), status.st_size, str(status.st_mtime_ns), in_folder)
        self._add(capture, (status.st_dev, status.st_ino))

    def _add_url(self, url: str) -> None:
        filesystem, name = filesystem_of(url)
        try:
            if PATTERN.search(name):
                infos = filesystem.glob(name, detail=True)
                self._add_infos(url, filesystem, infos.values(), in_folder=False)
            elif (info := filesystem.info(name))["type"] == "directory":
                below = filesystem.find(name, detail=True) if self.recursive else filesystem.ls(name, detail=True)
                infos = below.values() if isinstance(below, dict) else below
                # Object stores have a folder itself among what is in it.
                infos = [one for one in infos if not (one["name"].rstrip("/") == name.rstrip("/"))]
                self._add_infos(url, filesystem, infos, in_folder=True)
            else:
                self._add_infos(url, filesystem, [info], in_folder=False)
        except FileNotFoundError:
            self.found.unreadable.append(f"{url}: No such file or directory")
        except PermissionError as error:
            self.found.unreadable.append(f"{url}: {str(error).splitlines()[0] if str(error) else 'Permission denied'}")

    def _add_infos(self, url: str, filesystem: Any, infos: Any, in_folder: bool) -> None:
        before = len(self.found.captures) + self.found.again
        for info in sorted(infos, key=lambda one: order_of(one["name"])):
            if info["type"] == "directory":
                self.found.folders_below += in_folder
            else:
                place = filesystem.unstrip_protocol(info["name"])
                self._add(Capture(place, place, info.get("size") or 0, _mark_of(info), in_folder), place)
        if before == len(self.found.captures) + self.found.again:
            said = "no capture files in this folder" if in_folder else "matches nothing"
            self.found.unreadable.append(f"{url}: {said}")


def find(inputs: Sequence[str], recursive: bool) -> Found:
    """Raises CaptureError if there is nothing to read, UsageError of what no node could read."""
    listing = _Listing(recursive)
    for name in inputs:
        if name == "-":
            raise UsageError("- (standard input) is no input of a cluster")
        if not name:
            raise UsageError("the name of an input is empty")
        listing.add(name)
    found = listing.found
    found.captures.sort(key=lambda capture: order_of(capture.name))
    if not found.captures:
        raise CaptureError("; ".join(found.unreadable))
    return found


def groups(captures: Sequence[Capture], most_bytes: int) -> list[tuple[Capture, ...]]:
    """Small ones that follow each other by name, together up to so many bytes; each other alone."""
    found: list[tuple[Capture, ...]] = []
    open_bytes = 0  # of the last group, as long as it may grow
    for capture in captures:
        if found and open_bytes + capture.size <= most_bytes and len(found[-1]) < MOST_TOGETHER:
            found[-1] += (capture,)
            open_bytes += capture.size
        else:
            found.append((capture,))
            open_bytes = capture.size
    return found


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
