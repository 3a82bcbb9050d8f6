"""A job, from the command line to the exit status."""

import os
import time
from collections.abc import Sequence
from typing import Any

from .._errors import CaptureError, Error, UsageError
from . import program
from .captures import Found, find
from .crew import Crew, Work
from .decode_stage import DecodeStage
from .manifest import Manifest, key_of
from .metering import Metering, meter
from .output import check_no_input, check_output, write_dataset, write_file
from .place_of_work import work_folder
from .progress import Progress
from .store import Store
from .summary import Summary
from .urls import local_path
from .version import VERSION
from .words import DECODING, METERING, RESOURCES, WRITING, Words, size_of


def _dataset_suffix(words: Words) -> str | None:
    return words.options.get("format", "parquet") if words.is_dataset else None


def _metering_words(words: Words) -> list[str]:
    """Those that decide what the files of a partition hold."""
    writing = [name for name in WRITING if name != "format"] if words.is_dataset else []
    return words.of([*METERING, *writing])


def _identity(words: Words) -> dict[str, Any]:
    """Of two jobs that have the same one, what is done of one is done of the other."""
    return {
        "warpmeter": VERSION,
        "inputs": words.inputs,
        "filter": words.filter,
        "recursive": words.recursive,
        "decoding": words.of(DECODING),
        "metering": _metering_words(words),
        "files": _dataset_suffix(words),
        "partitions": words.partitions,
        "hash seed": key_of("seed", words.hash_seed),  # which does not tell it
        "group": words.group,
    }


def _check(words: Words) -> None:
    """Raises UsageError, of what can be known before anything is read."""
    format = "parquet" if words.is_dataset and "format" not in words.options else None
    options = words.of([*DECODING, *METERING, *WRITING, *RESOURCES])
    program.check([*options, *([f"--format={format}"] if format else [])], words.filter)
    if "rotate" in words.options and local_path(words.output) is None:
        raise UsageError("--rotate goes with a file on this machine")


def resources_of(words: Words, crew: Crew) -> list[str]:
    """Those of the user, and where tasks share a node, of each its part."""
    chosen = words.of(RESOURCES)
    if "memory" not in words.options:
        shares = [node.get("memory", 0) / node["CPU"] for node in crew.nodes()]
        if shares and (share := int(min(shares) * words.cpus_per_task / 2)) > 64 << 20:
            chosen.append(f"--memory={share}")
    if not words.gpus_per_task and "backend" not in words.options:
        chosen.append("--backend=cpu")
    if words.gpus_per_task and "gpu" not in words.options:
        chosen.append("--gpu=all")  # that Ray gave: named, or parts of a trace would be too small for one
    return chosen


class Job:
    def __init__(self, words: Words, progress: Progress) -> None:
        """Raises Error, UsageError, CaptureError; nothing is left then."""
        _check(words)
        address = words.address or os.environ.get("RAY_ADDRESS") or "local"
        self._words = words
        self._progress = progress
        self._found: Found = find(words.inputs, words.recursive)
        identity = _identity(words)
        self.store = Store(work_folder(words.work, address, words.tmpdir, identity, words.output))
        self._manifest = Manifest(self.store)
        self._manifest.begin(identity, words.fresh)
        for line in self._manifest.refused:
            progress.say(line)
        try:
            check_no_input(words.output, [capture.place for capture in self._found.captures])
            check_output(words.output, "publishing" in self._manifest.results)
        except BaseException:
            self.leave()
            raise
        self.summary = Summary(
            captures=len(self._found.captures), unreadable=list(self._found.unreadable),
            passed_over=self._found.passed_over, again=self._found.again, folders_below=self._found.folders_below,
        )  # fmt: skip
        self._address = address

    def leave(self) -> str:
        """Of a job that is not finished: its work stays, if there is any that is done. What to tell of that."""
        if not any(result.get("folder") for result in self._manifest.results.values()):
            self._manifest.end()
            return ""
        return f"the same command goes on with what is done in {self.store.url}"

    def run(self) -> int:
        words = self._words
        with Crew(self._address, words.tasks, words.retries) as crew:
            crew.check_room(words.cpus_per_task, words.gpus_per_task)
            sets = self._timed("decode", lambda: self._decode(crew))
            marks = self._timed("meter", lambda: self._meter(crew, sets))
        self._timed("merge", lambda: self._write(marks))
        if not words.keep_work:
            self._manifest.end()
        return self.summary.status

    def _timed(self, name: str, step: Any) -> Any:
        begun = time.monotonic()
        result = step()
        self.summary.seconds[name] = round(time.monotonic() - begun, 3)
        return result

    def _decode(self, crew: Crew) -> list[str]:
        """Keys of the sets, in the order of names."""
        stage = DecodeStage(self._words, self.store, self._manifest, self._progress, crew, self.summary)
        sets = stage.run(self._found.captures)
        for one in sets:
            self.summary.add_set(self._manifest.results[one.key])
        if all(self._manifest.results[one.key]["folder"] is None for one in sets):
            self._manifest.end()
            raise CaptureError("; ".join(self.summary.unreadable) or "no captures in what was given")
        return [one.key for one in sets]

    def _meter(self, crew: Crew, sets: Sequence[str]) -> list[dict[str, Any]]:
        """Marks, in the order of partitions."""
        words, results = self._words, self._manifest.results
        options = _metering_words(words)
        folders = tuple(results[key]["folder"] for key in sets if results[key]["folder"])
        running = [*options, *resources_of(words, crew), f"--threads={words.cpus_per_task}"]
        keys, works = [], []
        for partition in range(1, words.partitions + 1):
            what = [VERSION, options, _dataset_suffix(words), partition, words.partitions, list(sets)]
            keys.append(key := key_of("meter", *what))
            if key in results:
                self.summary.tasks_done_before += 1
                continue
            task = Metering(
                key, partition, words.partitions, folders, tuple(running), _dataset_suffix(words),
                self.store.url_for_nodes, words.tmpdir, VERSION,
            )  # fmt: skip
            name = f"meter part {partition} of {words.partitions}"
            works.append(Work(name, meter, task, words.cpus_per_task, words.gpus_per_task, self._memory(crew)))
        self._run(crew, works, len(keys))
        for key in keys:
            self.summary.add_partition(results[key])
        return [results[key] for key in keys]

    def _run(self, crew: Crew, works: list[Work], of: int) -> None:
        done = of - len(works)

        def finished(work: Work, result: dict[str, Any]) -> None:
            nonlocal done
            done += 1
            self.summary.tasks += 1
            self._manifest.add(work.task.key, result)

        crew.run(works, finished, wait=lambda: self._progress.show(f"metered {done} of {of} parts"))

    def _memory(self, crew: Crew) -> int:
        """That Ray sets aside; none where no node has so much, since Ray would wait for ever."""
        if "memory" not in self._words.options:
            return 0
        asked = size_of(str(self._words.options["memory"]))
        return asked if any(node.get("memory", 0) >= asked for node in crew.nodes()) else 0

    def _write(self, marks: list[dict[str, Any]]) -> None:
        words = self._words
        self._progress.show("writes the output")
        try:
            if words.is_dataset:
                if local_path(words.output) is None:
                    self.store.write("done/publishing.json", '{"publishing": true}')
                write_dataset(self.store, marks, words.output, words.tmpdir)
            else:
                write_file(self.store, marks, words.output, words.of(WRITING), words.tmpdir)
        except OSError as error:
            raise Error(f"{words.output}: {error}") from None
