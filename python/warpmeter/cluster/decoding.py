"""A task: captures to a segment set in the work folder."""

import os
import shutil
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from .._errors import Error
from . import program
from .captures import Capture
from .manifest import mark, new_folder
from .scratch import scratch
from .store import Store
from .trouble import Lost, first_line, told_in_one_line
from .urls import filesystem_of
from .version import check_version
from .words import HASH_SEED


@dataclass(frozen=True)
class Decoding:
    """captures: by name; several are merged by time."""

    key: str
    captures: tuple[Capture, ...]
    options: tuple[str, ...]
    hash_seed: str = field(repr=False)
    filter: str | None
    work: str
    tmpdir: str | None
    version: str

    @property
    def bytes(self) -> int:
        return sum(capture.size for capture in self.captures)


class _Unreadable(Exception):
    """An input; the line for the user."""


def _open(capture: Capture) -> Any:
    filesystem, name = filesystem_of(capture.place)
    try:
        return filesystem.open(name, "rb", block_size=program.CHUNK)
    except FileNotFoundError:
        raise _Unreadable(f"{capture.name}: No such file or directory") from None
    except PermissionError as error:
        raise _Unreadable(f"{capture.name}: {first_line(error)}") from None


def _check_local(capture: Capture) -> None:
    if not os.path.exists(capture.place):
        raise Error(
            f"{capture.name}: is not on node {os.uname().nodename}; name a URL, or a folder that all nodes have"
        )


def _copy(capture: Capture, path: str) -> None:
    with _open(capture) as source, open(path, "wb") as copy:
        try:
            shutil.copyfileobj(source, copy, program.CHUNK)
        except OSError as error:
            if error.errno is None:  # of a network, not of this disk
                raise Lost(f"{capture.name}: {first_line(error)}") from None
            raise


def _decode(
    names: dict[str, str], task: Decoding, folder: str, stats: str, source: BinaryIO | None = None
) -> program.Decoded:
    return program.decode(names, folder, task.options, task.filter, stats, source, {HASH_SEED: task.hash_seed})


def _decode_one(task: Decoding, folder: str, stats: str) -> program.Decoded:
    """By its name, or as a stream."""
    (capture,) = task.captures
    if capture.is_local:
        _check_local(capture)
        return _decode({capture.place: capture.name}, task, folder, stats)
    with _open(capture) as source:
        return _decode({"-": capture.name}, task, folder, stats, source)


def _decode_many(task: Decoding, folder: str, stats: str, own: str) -> program.Decoded:
    """Merging by time takes files that are there: those of URLs are copied for so long. Names sort as captures do."""
    names: dict[str, str] = {}
    unreadable = []
    for number, capture in enumerate(task.captures):
        path = os.path.join(own, f"{number:06}")
        if capture.is_local:
            _check_local(capture)
            os.symlink(capture.place, path)
        else:
            try:
                _copy(capture, path)
            except _Unreadable as error:
                unreadable.append(str(error))
                continue
        names[path] = capture.name
    decoded = _decode(names, task, folder, stats) if names else program.Decoded()
    decoded.unreadable.extend(unreadable)
    return decoded


def _result(task: Decoding, decoded: program.Decoded, name: str, sizes: dict[str, int]) -> dict[str, Any]:
    # Of a folder, what is no capture is passed over.
    beside = {f"{capture.name}: not a pcap" for capture in task.captures if capture.in_folder}
    passed_over = [line for line in decoded.unreadable if any(line.startswith(one) for one in beside)]
    return {
        "folder": name if decoded.is_there else None,
        "files": sizes,
        "captures": [capture.name for capture in task.captures],
        "packets": decoded.packets,
        "first_ns": decoded.first_ns,
        "latest_ns": decoded.latest_ns,
        "counters": decoded.counters,
        "damage": decoded.damage,
        "unreadable": [line for line in decoded.unreadable if line not in passed_over],
        "passed_over": len(passed_over),
    }


@told_in_one_line
def decode(task: Decoding) -> dict[str, Any]:
    """What its mark has. Each try writes a folder of its own: whichever is marked last is as good as the others."""
    check_version(task.version)
    store = Store(task.work)
    name = new_folder(task.key)
    with scratch(task.tmpdir) as own:
        stats = os.path.join(own, "stats.json")
        folder = os.path.join(own, "set") if store.folder is None else store.path(name)
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        try:
            many = len(task.captures) > 1
            decoded = _decode_many(task, folder, stats, own) if many else _decode_one(task, folder, stats)
        except _Unreadable as error:
            decoded = program.Decoded(unreadable=[str(error)])
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        files = sorted(os.listdir(folder)) if decoded.is_there else []
        sizes = {file: os.path.getsize(os.path.join(folder, file)) for file in files}
        if store.folder is None and files:
            store.put([os.path.join(folder, file) for file in files], [f"{name}/{file}" for file in files])
        result = _result(task, decoded, name, sizes)
        mark(store, task.key, result)
    return result
