"""The second half of a job: the Flow Records of each partition, in the work folder. A task meters one partition of all
segment sets."""

import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from . import program
from .crew import Crew, Work
from .manifest import FLOWS, Manifest, key_of, mark, new_folder
from .messages import Progress, Summary
from .store import Store
from .task import VERSION, check_version, scratch, told_in_one_line
from .words import METERING, RESOURCES, WRITING, Words, size_of

HOUR = re.compile(r"part-\d+\.(\d{4})(\d\d)(\d\d)T(\d\d)\d{4}Z\.(\w+)$")  # as --rotate 1h names them


@dataclass(frozen=True)
class Metering:
    """partition: from 1 on. sets: their folders, in the order of the names of their captures. suffix: of the files of a
    dataset; None if there is to be one file of all partitions."""

    key: str
    partition: int
    partitions: int
    sets: tuple[str, ...]
    options: tuple[str, ...]
    suffix: str | None
    work: str
    tmpdir: str | None
    version: str


def _fetch(task: Metering, store: Store, own: str) -> list[str]:
    """The partition's file of each set, in folders that sort as the sets do."""
    file = program.segment_file(task.partition, task.partitions)
    paths = []
    for number, name in enumerate(task.sets):
        folder = os.path.join(own, f"{number:06}")
        os.mkdir(folder)
        paths.append(os.path.join(folder, file))
    store.get([f"{name}/{file}" for name in task.sets], paths)
    return paths


def name_in_dataset(name: str) -> str | None:
    """part-03.20261126T100000Z.parquet: hour=2026-11-26T10/part-03.parquet. None of one without flows."""
    found = HOUR.match(name)
    if not found:
        return None
    year, month, day, hour, suffix = found.groups()
    return f"hour={year}-{month}-{day}T{hour}/{name.split('.', 1)[0]}.{suffix}"


def _names(task: Metering, output: str) -> dict[str, str]:
    """Of what was written: its path, by its name below the task's folder."""
    folder = os.path.dirname(output)
    if task.suffix is None:
        return {FLOWS: output}
    named = {name_in_dataset(name): os.path.join(folder, name) for name in sorted(os.listdir(folder))}
    return {name: path for name, path in named.items() if name is not None}


@told_in_one_line
def meter(task: Metering) -> dict[str, Any]:
    """What its mark has."""
    check_version(task.version)
    store = Store(task.work)
    name = new_folder(task.key)
    with scratch(task.tmpdir) as own:
        written = os.path.join(own, "written")
        os.mkdir(written)
        output = os.path.join(written, FLOWS if task.suffix is None else f"part-{task.partition:02}.{task.suffix}")
        rotated = [] if task.suffix is None else ["--rotate=1h"]
        stats = os.path.join(own, "stats.json")
        told = program.meter(_fetch(task, store, own), output, [*task.options, *rotated, f"--tmpdir={own}"], stats)
        names = _names(task, output)
        sizes = {file: os.path.getsize(path) for file, path in names.items()}
        try:
            store.put(list(names.values()), [f"{name}/{file}" for file in names])
        except BaseException:
            if store.folder is not None:
                shutil.rmtree(store.path(name), ignore_errors=True)
            raise
        result = {"folder": name, "files": sizes, "stats": told}
        mark(store, task.key, result)
    return result


def dataset_suffix(words: Words) -> str | None:
    return words.options.get("format", "parquet") if words.is_dataset else None


def metering_words(words: Words) -> list[str]:
    """Those that decide what the files of a partition hold."""
    if words.is_dataset:
        return words.of([*METERING, *(name for name in WRITING if name != "format")])
    # What the output may have of it, and merge cannot find out.
    numbers = "first_packet,reverse_first_packet" if words.options.get("biflow") else "first_packet"
    return [*words.of(METERING), f"--columns={numbers}"]


def resources_of(words: Words, crew: Crew) -> list[str]:
    """Those of the user, and where tasks share a node, of each its part."""
    chosen = words.of(RESOURCES)
    if "memory" not in words.options:
        shares = [node.get("memory", 0) / node["CPU"] for node in crew.nodes()]
        if shares and (share := int(min(shares) * words.cpus_per_task / 2)) > 64 << 20:
            chosen.append(f"--memory={share}")
    if not words.gpus_per_task and "backend" not in words.options:
        chosen.append("--backend=cpu")
    if words.gpus_per_task and "gpu" not in words.options and words.options.get("backend") != "cpu":
        chosen.append("--gpu=all")  # that Ray gave: named, or parts of a trace would be too small for one
    return chosen


class MeterStage:
    def __init__(
        self, words: Words, store: Store, manifest: Manifest, progress: Progress, crew: Crew, summary: Summary
    ) -> None:
        self._words = words
        self._store = store
        self._manifest = manifest
        self._progress = progress
        self._crew = crew
        self._summary = summary

    def run(self, sets: Sequence[str]) -> list[dict[str, Any]]:
        """sets: keys of their marks, in the order of names. Returns marks, in the order of partitions. Raises Error."""
        words, results = self._words, self._manifest.results
        options = metering_words(words)
        folders = tuple(results[key]["folder"] for key in sets if results[key]["folder"])
        running = (*options, *resources_of(words, self._crew), f"--threads={words.cpus_per_task}")
        keys, works = [], []
        for partition in range(1, words.partitions + 1):
            what = [VERSION, options, dataset_suffix(words), partition, words.partitions, list(sets)]
            keys.append(key := key_of("meter", *what))
            if key in results:
                self._summary.tasks_done_before += 1
            else:
                works.append(self._work(key, partition, folders, running))
        self._run(works, len(keys))
        for key in keys:
            self._summary.add_partition(results[key])
        return [results[key] for key in keys]

    def _work(self, key: str, partition: int, folders: tuple[str, ...], options: tuple[str, ...]) -> Work:
        words = self._words
        task = Metering(
            key, partition, words.partitions, folders, options, dataset_suffix(words), self._store.url_for_nodes,
            words.tmpdir, VERSION,
        )  # fmt: skip
        name = f"meter part {partition} of {words.partitions}"
        return Work(name, meter, task, words.cpus_per_task, words.gpus_per_task, self._memory())

    def _memory(self) -> int:
        """That Ray sets aside; none where no node has so much, since Ray would wait for ever."""
        if "memory" not in self._words.options:
            return 0
        asked = size_of(str(self._words.options["memory"]))
        return asked if any(node.get("memory", 0) >= asked for node in self._crew.nodes()) else 0

    def _run(self, works: list[Work], of: int) -> None:
        done = of - len(works)

        def finished(work: Work, result: dict[str, Any]) -> None:
            nonlocal done
            done += 1
            self._summary.tasks += 1
            self._manifest.add(work.task.key, result)

        self._crew.run(works, finished, wait=lambda: self._progress.show(f"metered {done} of {of} parts"))
