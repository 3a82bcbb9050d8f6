"""A job, from the command line to the exit status: captures are decoded, partitions metered, Flow Records merged."""

import importlib.util
import os
import time
from collections.abc import Sequence
from typing import Any

from .._errors import CaptureError, Error, UsageError
from . import program
from .captures import Found, find
from .crew import MISSING, Crew, watch_for_interrupt
from .decoding import DecodeStage
from .manifest import Manifest, key_of
from .messages import Progress, Summary
from .metering import MeterStage, dataset_suffix, metering_words
from .output import check_no_input, check_output, write_dataset, write_file
from .store import Store, local_path, work_folder
from .task import VERSION, first_line
from .words import DECODING, METERING, RESOURCES, WRITING, Words, parse

FAILED, INTERRUPTED = 1, 130


def _identity(words: Words) -> dict[str, Any]:
    """Of two jobs that have the same one, what is done of one is done of the other."""
    return {
        "warpmeter": VERSION,
        "inputs": words.inputs,
        "filter": words.filter,
        "recursive": words.recursive,
        "decoding": words.of(DECODING),
        "metering": metering_words(words),
        "files": dataset_suffix(words),
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
        stage = MeterStage(self._words, self.store, self._manifest, self._progress, crew, self.summary)
        return stage.run(sets)

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


def main(arguments: Sequence[str]) -> int:
    """The exit status, as of `warpmeter extract`. Says on standard error what there is to say."""
    progress = Progress(wanted=False)
    try:
        words = parse(arguments)
        if not all(importlib.util.find_spec(name) for name in ("ray", "fsspec")):
            raise Error(MISSING)
        progress = Progress(not words.quiet)
        watch_for_interrupt()
        return _run(words, progress)
    except Error as error:
        progress.say(str(error))
        return error.status
    except KeyboardInterrupt:
        progress.say("interrupted")
        return INTERRUPTED
    except Exception as error:  # a disk that is full, a file system that is gone; or a bug
        told = "" if isinstance(error, OSError) else f"{type(error).__name__}: "
        progress.say(told + first_line(error))
        return FAILED


def _run(words: Words, progress: Progress) -> int:
    job = Job(words, progress)
    try:
        status = job.run()
    except KeyboardInterrupt:
        progress.say("; ".join(filter(None, ("interrupted", job.leave()))))
        return INTERRUPTED
    except Error as error:
        if words.stats:
            job.summary.write_failure(words.stats, error.status, str(error))
        progress.say("; ".join(filter(None, (str(error), job.leave()))))
        return error.status
    job.summary.tell(progress, words.quiet)
    if words.stats:
        job.summary.write(words.stats)
    return status
