"""Files of rows that are no whole Flow Records, which the program's own formats do not have."""

import csv
import os
import tempfile
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ._keywords import Path
from ._package import package


def _cell(value: Any) -> Any:
    """As the command writes it."""
    if isinstance(value, float):
        return f"{value:.9f}"
    return ";".join(map(str, value)) if isinstance(value, list) else value


def _appear(path: Path, write: Callable[[str], None]) -> None:
    """Beside it first, under another name, so that nobody sees a half of it. A device or a pipe stays what it is."""
    if os.path.exists(path) and not os.path.isfile(path):
        write(os.fspath(path))
        return
    path = os.path.realpath(path)  # a link stays one
    folder, name = os.path.split(os.path.abspath(path))
    descriptor, part = tempfile.mkstemp(prefix=f".{name}.", dir=folder)
    os.close(descriptor)
    try:
        write(part)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(part, 0o666 & ~mask)
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise


def write_csv(names: Sequence[str], columns: Sequence[Iterable[Any]], path: Path) -> None:
    def write(to: str) -> None:
        with open(to, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(names)
            writer.writerows(zip(*(map(_cell, column) for column in columns), strict=True))

    _appear(path, write)


def write_parquet(flows: Any, path: Path) -> None:
    parquet = package("pyarrow.parquet", "write_parquet")
    table = package("pyarrow", "write_parquet").table(flows)
    def write(to: str) -> None:
        with open(to, "wb") as file:  # pyarrow removes what it cannot write by its name, a device too
            parquet.write_table(table, file, compression="zstd")

    _appear(path, write)
