"""The first half of a job: every capture in one segment set in the work folder, and no two sets that overlap in time. A
task decodes one capture, or several to one set."""

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from .._errors import Error
from . import program
from .captures import Capture, SegmentSet, captures_of, chains, groups
from .crew import Crew, Work
from .manifest import Manifest, key_of, mark, new_folder
from .messages import Progress, Summary, human_size
from .store import Store, filesystem_of
from .task import VERSION, Lost, check_version, first_line, scratch, told_in_one_line
from .words import DECODING, HASH_SEED, Words


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


class DecodeStage:
    def __init__(
        self, words: Words, store: Store, manifest: Manifest, progress: Progress, crew: Crew, summary: Summary
    ) -> None:
        self._words = words
        self._store = store
        self._manifest = manifest
        self._progress = progress
        self._crew = crew
        self._summary = summary
        self._read = self._to_read = 0  # bytes of captures
        self._set_bytes = 0  # in the work folder

    def run(self, captures: Sequence[Capture]) -> list[SegmentSet]:
        """By the names of their first captures. Raises Error."""
        self._to_read = sum(capture.size for capture in captures)
        sets = self._decoded(groups(captures, self._words.group))
        for _ in range(len(captures)):
            overlapping = [chain for chain in chains(sets) if len(chain) > 1]
            if not overlapping:
                break
            sets = self._together(sets, overlapping)
        self._again_if_gone(sets)
        return sorted(sets, key=lambda one: one.captures[0].name.encode(errors="surrogateescape"))

    def _together(self, sets: list[SegmentSet], overlapping: list[list[SegmentSet]]) -> list[SegmentSet]:
        """Those of each chain as one set."""
        merged = [captures_of(chain) for chain in overlapping]
        if not self._words.quiet:
            of = sum(map(len, merged))
            names = f"{merged[0][0].name} ... {merged[0][-1].name}"
            chained = "" if len(merged) == 1 else f" (in {len(merged)} groups)"
            self._progress.say(f"{of} captures overlap in time{chained}, and are decoded together: {names}")
        self._to_read += sum(capture.size for group in merged for capture in group)
        left = [one for one in sets if not any(one in chain for chain in overlapping)]
        together = self._decoded(merged)
        for chain in overlapping:
            for one in chain:
                self._let_go(one.key)
        return left + together

    def _let_go(self, key: str) -> None:
        self._set_bytes -= _bytes_of(self._manifest.results[key])
        self._manifest.let_go(key)

    def _again_if_gone(self, sets: list[SegmentSet]) -> None:
        """Of a job before, a set may have been let go since another one had its segments; it is no more so."""
        gone = [one.captures for one in sets if self._manifest.results[one.key].get("let_go")]
        self._decoded(gone, also_let_go=True)

    def _key(self, captures: Sequence[Capture]) -> str:
        words = self._words
        how = [VERSION, words.of(DECODING), words.filter, words.partitions, words.hash_seed]
        return key_of("decode", *how, [capture.identity for capture in captures])

    def _is_done(self, key: str, also_let_go: bool) -> bool:
        mark = self._manifest.results.get(key)
        return mark is not None and not (also_let_go and mark.get("let_go"))

    def _decoded(self, wanted: Sequence[tuple[Capture, ...]], also_let_go: bool = False) -> list[SegmentSet]:
        """A set for each. also_let_go: one of which only the times are known does not do."""
        keys = [self._key(captures) for captures in wanted]
        works = []
        for number, (key, captures) in enumerate(zip(keys, wanted), 1):
            if self._is_done(key, also_let_go):
                self._summary.tasks_done_before += 1
                self._read += sum(capture.size for capture in captures)
                self._set_bytes += _bytes_of(self._manifest.results[key])
            else:
                works.append(self._work(key, captures, f"{number} of {len(wanted)}"))
        self._run(works)
        marks = [self._manifest.results[key] for key in keys]
        return [
            SegmentSet(key, captures, mark["first_ns"], mark["latest_ns"])
            for key, captures, mark in zip(keys, wanted, marks)
        ]

    def _work(self, key: str, captures: tuple[Capture, ...], number: str) -> Work:
        words = self._words
        options = (
            *words.of(DECODING), f"--partitions={words.partitions}", f"--threads={words.cpus_per_task}",
        )  # fmt: skip
        task = Decoding(
            key, captures, options, words.hash_seed, words.filter, self._store.url_for_nodes, words.tmpdir, VERSION
        )
        more = f" and {len(captures) - 1} more" if len(captures) > 1 else ""
        return Work(f"decode {captures[0].name.rsplit('/', 1)[-1]}{more} ({number})", decode, task, words.cpus_per_task)

    def _run(self, works: list[Work]) -> None:
        def finished(work: Work, result: dict[str, Any]) -> None:
            self._summary.tasks += 1
            self._read += work.task.bytes
            self._set_bytes += _bytes_of(result)
            self._manifest.add(work.task.key, result)

        def show() -> None:
            self._progress.show(f"decoded {human_size(self._read)} of {human_size(self._to_read)}")

        self._crew.run(works, finished, self._may_start, show)

    def _may_start(self, work: Work, flying: list[Work]) -> bool:
        """By what sets have taken so far of what was read. Until that is known, a task at a time."""
        limit = self._words.work_limit
        if limit is None:
            return True
        if not self._read:
            return not flying
        share = self._set_bytes / self._read
        expected = self._set_bytes + share * (work.task.bytes + sum(one.task.bytes for one in flying))
        if expected <= limit:
            return True
        if not flying:
            whole = human_size(share * self._to_read)
            raise Error(f"segment sets would take about {whole} in {self._store.url}, more than --work-limit")
        return False


def _bytes_of(mark: dict[str, Any]) -> int:
    return sum(mark["files"].values()) if mark["folder"] else 0
