"""What a job leaves: one file, or a folder of files by hour and partition. Either appears when it is complete."""

import contextlib
import os
import secrets
import shutil
from collections.abc import Sequence
from typing import Any

from .._errors import Error
from . import program
from .manifest import FLOWS
from .store import Store, filesystem_of, joined, local_path
from .task import scratch

Marks = Sequence[dict[str, Any]]  # of the partitions, in their order


def check_output(output: str, begun: bool) -> None:
    """Raises Error where the output could not appear. begun: this job has written some of a folder before."""
    path = local_path(output)
    if path is None:
        filesystem, name = filesystem_of(output)
        if output.endswith("/") and not begun and filesystem.exists(name) and filesystem.ls(name):
            raise Error(f"{output}: is not empty")
        return
    if not output.endswith("/"):
        if os.path.isdir(path):
            raise Error(f"{output}: is a folder; {output}/ writes files by hour and part into it")
    elif os.path.lexists(path.rstrip("/")) and not (os.path.isdir(path) and not os.listdir(path)):
        raise Error(f"{output}: is not an empty folder")
    folder = os.path.dirname(os.path.abspath(path.rstrip("/")))
    if not os.path.isdir(folder):
        raise Error(f"{output}: there is no folder {folder}")
    if not os.access(folder, os.W_OK):
        raise Error(f"{output}: cannot write in {folder}")


def check_no_input(output: str, places: Sequence[str]) -> None:
    """Raises Error where the output would take the place of an input."""
    path = local_path(output)
    for place in places:
        if place == output or (path is not None and os.path.exists(path) and _is_same(path, place)):
            raise Error(f"{output}: is an input, too")


def _is_same(path: str, place: str) -> bool:
    return os.path.exists(place) and os.path.samefile(path, place)


def _fetched(store: Store, marks: Marks, own: str) -> list[str]:
    paths = []
    for number, mark in enumerate(marks):
        os.mkdir(os.path.join(own, f"{number:06}"))
        paths.append(os.path.join(own, f"{number:06}", FLOWS))
    store.get([f"{mark['folder']}/{FLOWS}" for mark in marks], paths)
    return paths


def write_file(store: Store, marks: Marks, output: str, options: Sequence[str], tmpdir: str | None) -> None:
    """All partitions merged, by the program on this machine."""
    path = local_path(output)
    with scratch(tmpdir) as own:
        files = _fetched(store, marks, own)
        there = os.path.abspath(path) if path is not None else os.path.join(own, output.rsplit("/", 1)[-1])
        program.merge(files, there, [*options, f"--tmpdir={own}"])
        if path is None:
            filesystem, name = filesystem_of(output)
            filesystem.put_file(there, name)


def _names(marks: Marks) -> list[tuple[str, str]]:
    """In the store, and in the dataset."""
    return [(f"{mark['folder']}/{name}", name) for mark in marks for name in mark["files"]]


def _link_or_copy(source: str, target: str) -> None:
    os.makedirs(os.path.dirname(target), exist_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _write_local_dataset(store: Store, marks: Marks, path: str) -> None:
    folder = os.path.abspath(path)
    new = f"{folder}.{secrets.token_hex(8)}.part"
    os.makedirs(new)
    try:
        names = _names(marks)
        if store.folder is not None:
            for source, name in names:
                _link_or_copy(store.path(source), os.path.join(new, name))
        else:
            for _, name in names:
                os.makedirs(os.path.dirname(os.path.join(new, name)), exist_ok=True)
            store.get([source for source, _ in names], [os.path.join(new, name) for _, name in names])
        with contextlib.suppress(FileNotFoundError):
            os.rmdir(folder)  # it is empty
        os.rename(new, folder)
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise


def write_dataset(store: Store, marks: Marks, output: str, tmpdir: str | None) -> None:
    """The files of all partitions. A path appears when it is complete; below a URL each file does."""
    path = local_path(output)
    if path is not None:
        _write_local_dataset(store, marks, path)
        return
    filesystem, root = filesystem_of(output)
    for source, name in _names(marks):
        if store.folder is not None:
            filesystem.put_file(store.path(source), joined(root, name))
        elif not store.copy(source, filesystem, joined(root, name)):
            with scratch(tmpdir) as own:
                store.get([source], [os.path.join(own, "file")])
                filesystem.put_file(os.path.join(own, "file"), joined(root, name))
