"""The first half of a job: every capture in one segment set, and no two sets that overlap in time."""

from collections.abc import Sequence
from typing import Any

from .._errors import Error
from .captures import Capture
from .crew import Crew, Work
from .decoding import Decoding, decode
from .groups import groups
from .manifest import Manifest, key_of
from .progress import Progress, human_size
from .segment_set import SegmentSet, captures_of, chains
from .store import Store
from .summary import Summary
from .version import VERSION
from .words import DECODING, Words


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
