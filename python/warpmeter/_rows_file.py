"""Files of rows that are no whole Flow Records, which the program's own formats do not have."""

import csv
import os
import tempfile
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ._errors import Error, UsageError
from ._info import info
from ._keywords import Path
from ._package import package


def _cell(value: Any) -> Any:
    """As the command writes it."""
    if isinstance(value, float):
        return f"{value:.9f}"
    return ";".join(map(str, value)) if isinstance(value, list) else value


def refuse_place(path: str, read_from: Sequence[bytes]) -> None:
    """What the command does not overwrite either: captures, and what was read."""
    if not os.path.isfile(path):
        return
    for name in map(os.fsdecode, read_from):
        folder = os.path.dirname(os.path.abspath(path))
        if os.path.exists(name) and os.path.samefile(name, folder if os.path.isdir(name) else path):
            raise UsageError(f"{path}: is an input, and is not overwritten")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            info(path)
    except Error:
        return
    raise UsageError(f"{path}: is a capture, and is not overwritten")


def _put_in_place(path: str, write: Callable[[str], None]) -> None:
    """Beside it first, under another name, so that nobody sees a half of it. A device or a pipe stays what it is."""
    if os.path.exists(path) and not os.path.isfile(path):
        write(path)
        return
    path = os.path.realpath(path)  # a link stays one
    mask = os.umask(0)
    os.umask(mask)
    mode = os.stat(path).st_mode & 0o7777 if os.path.exists(path) else 0o666 & ~mask
    folder, name = os.path.split(path)
    descriptor, part = tempfile.mkstemp(prefix=f".{name}.", dir=folder)
    os.close(descriptor)
    try:
        write(part)
        os.chmod(part, mode)
        os.replace(part, path)
    except BaseException:
        if os.path.exists(part):
            os.unlink(part)
        raise


def _appear(path: Path, write: Callable[[str], None], read_from: Sequence[bytes]) -> None:
    name = os.fsdecode(path)
    if name in ("", "-") or name.endswith((".gz", ".zst", ".lz4")):
        raise UsageError(f"{name!r}: what is no whole Flow Records goes to a file that is not packed")
    refuse_place(name, read_from)
    try:
        _put_in_place(name, write)
    except OSError as error:
        raise Error(f"{name}: cannot be written: {error.strerror or error}") from error


def write_csv(
    names: Sequence[str], columns: Sequence[Iterable[Any]], path: Path, read_from: Sequence[bytes]
) -> None:
    def write(to: str) -> None:
        with open(to, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(names)
            writer.writerows(zip(*(map(_cell, column) for column in columns), strict=True))

    _appear(path, write, read_from)


def write_parquet(flows: Any, path: Path, read_from: Sequence[bytes]) -> None:
    parquet = package("pyarrow.parquet", "write_parquet")
    table = package("pyarrow", "write_parquet").table(flows)
    def write(to: str) -> None:
        with open(to, "wb") as file:  # pyarrow removes what it cannot write by its name, a device too
            parquet.write_table(table, file, compression="zstd")

    _appear(path, write, read_from)
