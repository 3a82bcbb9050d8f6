"""A task: one partition of all segment sets to Flow Records in the work folder."""

import os
import re
import shutil
from dataclasses import dataclass
from typing import Any

from . import program
from .manifest import FLOWS, mark, new_folder
from .scratch import scratch
from .store import Store
from .trouble import told_in_one_line
from .version import check_version

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
