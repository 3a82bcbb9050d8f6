"""What extract(), show() and packets() return."""

import os
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, overload

from . import _extension
from ._column import Column
from ._errors import Error
from ._extension import Batch, FlowRun, KeptRows
from ._html import table_of
from ._inputs import Inputs
from ._keywords import Path, words_of
from ._options import ShowOptions
from ._package import package
from ._progress import Wanted
from ._rows_file import refuse_place, write_csv, write_parquet
from ._run import Run


class Flows:
    """Flow Records, or rows made of them, in the order of the command's output, as Arrow columns.

    Whatever takes Arrow's PyCapsules takes them, and as often as it likes: polars.DataFrame(flows),
    pyarrow.table(flows), duckdb.sql("FROM flows"). Nothing is copied for that here. len() is their number.

    flows["bytes"] is a column, flows[["src_addr", "bytes"]] and flows[10:20] are Flows, flows[0] is a dict.

    summary: of extract() what the command writes with --stats: "packets_read", "packets_metered", "rows", "totals",
        ...; of show() "flows_read", "flows_matching", the "totals" of these, "rows", ... Of a part of Flows it is that
        of the whole.
    damage: for each place where a file is damaged "file", "offset" in bytes, and "reason".
    warnings: lines for the user, as of files that cannot be read.
    """

    def __init__(
        self,
        rows: KeptRows,
        summary: dict[str, Any],
        warnings: list[str],
        of_records: bool,
        read_from: Sequence[bytes] = (),
    ) -> None:
        self._rows = rows
        self._in_all = len(rows)
        self._of_records = of_records  # whole ones, without columns that are not read back
        self._read_from = read_from  # names of files and folders
        self.summary = summary
        self.warnings = warnings

    def _part(self, rows: KeptRows, of_records: bool) -> "Flows":
        part = Flows(rows, self.summary, self.warnings, of_records, self._read_from)
        part._in_all = self._in_all
        return part

    @property
    def damage(self) -> list[dict[str, Any]]:
        places: list[dict[str, Any]] = self.summary["damage"]
        return places

    @property
    def columns(self) -> list[str]:
        """Their names."""
        return list(self.schema)

    @property
    def schema(self) -> dict[str, str]:
        """The type of each column, as pyarrow spells it: {"src_addr": "string", "bytes": "int64", ...}."""
        return dict(self._rows.columns())

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self), len(self.schema)

    def head(self, n: int = 5) -> "Flows":
        """The first `n` rows."""
        return self[:n]

    def batches(self) -> list[Batch]:
        """Some thousands of rows each, as they were made."""
        return self._rows.batches()

    def to_arrow(self) -> Any:
        """A pyarrow.Table. Copies nothing. Needs pyarrow."""
        return package("pyarrow", "to_arrow").table(self)

    def to_polars(self) -> Any:
        """A polars.DataFrame. Needs polars."""
        return package("polars", "to_polars").DataFrame(self)

    def to_pandas(self) -> Any:
        """A pandas.DataFrame. Needs pandas and pyarrow.

        Whole numbers stay whole: a column of them in which some are missing has the type Int64 of pandas,
        where pandas by itself takes floating-point numbers.
        """
        pandas = package("pandas", "to_pandas")
        table = package("pyarrow", "to_pandas").table(self)
        frame = table.to_pandas()
        for name, column in zip(table.column_names, table.columns, strict=True):
            if column.null_count and "int" in str(column.type):
                frame[name] = column.to_pandas(types_mapper={column.type: pandas.Int64Dtype()}.get)
        return frame

    def write_csv(self, path: Path, *, times: str | None = None) -> None:
        """Writes a file with the bytes of the command's CSV; packed if its name ends in .gz, .zst or .lz4.

        path: the file, which appears when it is complete.
        times: as in show(): "ns" (the default), "us", or "iso". Of whole Flow Records only: sums, columns that were
            chosen, and those that options add are written as they are, to a file that is not packed.
        """
        if self._of_records:
            self._write("csv", path, times)
            return
        self._refuse_times("write_csv", times)
        write_csv(self.columns, [self[name] for name in self.columns], path, self._read_from)

    def write_parquet(self, path: Path, *, times: str | None = None) -> None:
        """Writes a Parquet file: of whole Flow Records as the command does, with first_packet only where columns= asked
        for it; of other rows pyarrow does it.

        path: the file, which appears when it is complete.
        times: as in show(): "ns" (the default) or "us". Of whole Flow Records only.
        """
        if self._of_records:
            self._write("parquet", path, times)
            return
        self._refuse_times("write_parquet", times)
        write_parquet(self, path, self._read_from)

    def _refuse_times(self, function: str, times: str | None) -> None:
        if times is not None:
            raise ValueError(f"{function}(): times goes with whole Flow Records; these rows are written as they are")

    def _write(self, form: str, path: Path, times: str | None) -> None:
        if (name := os.fsdecode(path)) != "-":
            refuse_place(name, self._read_from)
        words = words_of({"output": path, "format": form, "times": times}, ShowOptions)
        inputs = Inputs(self, of_flows=True)
        with Stream(inputs, lambda: _extension.show_stream(inputs.stream, inputs.stream_name, words)) as run:
            run.to_end()

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, key: str) -> Column: ...
    @overload
    def __getitem__(self, key: slice | Sequence[str]) -> "Flows": ...
    @overload
    def __getitem__(self, key: int) -> dict[str, Any]: ...
    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            place = self._places([key])[0]
            return Column(key, self.schema[key], self._rows, place)
        if isinstance(key, slice):
            first, end, step = key.indices(len(self))
            if step != 1:
                raise ValueError("Flows are sliced without a step")
            return self._part(self._rows.slice(first, max(end - first, 0)), self._of_records)
        if isinstance(key, (list, tuple)) and key and all(isinstance(one, str) for one in key):
            return self._part(self._rows.select(self._places(key)), False)
        if hasattr(key, "__index__"):
            return self._row(key.__index__())
        raise TypeError("Flows are asked for a name, a list of names, a number or a slice")

    def _places(self, names: Sequence[str]) -> list[int]:
        columns = self.columns
        for name in names:
            if name not in columns:
                raise KeyError(f"{name}: there is no such column, but {', '.join(columns)}")
        if len(set(names)) < len(names):
            raise ValueError("a column is named twice")
        return [columns.index(name) for name in names]

    def _row(self, number: int) -> dict[str, Any]:
        at = number + len(self) if number < 0 else number
        if not 0 <= at < len(self):
            raise IndexError(f"row {number}: there are {len(self)} rows")
        row = self._rows.slice(at, 1)
        return {name: row.values(place)[0] for place, name in enumerate(self.columns)}

    def __iter__(self) -> NoReturn:
        # Whoever goes through things that they do not know, as pandas.DataFrame(flows) does, would make one cell of it.
        raise TypeError(
            "Flows are not gone through one by one: to_pandas(), to_polars() and to_arrow() make tables of them, "
            "batches() gives batches"
        )

    def __arrow_c_schema__(self) -> object:
        return self._rows.schema()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._rows.stream()

    def __reduce__(self) -> Any:
        raise TypeError("Flows cannot be copied or pickled: pyarrow.table(flows) can")

    def _title(self) -> str:
        if "flows_written" in self.summary:
            return f"{len(self)} rows of features"
        if "packets_written" in self.summary:
            return f"{len(self)} rows of {self.summary['packets_read']} packets"
        is_metered = "packets_metered" in self.summary
        things = "Flow Records" if is_metered else "rows"
        if len(self) < self._in_all:
            return f"{len(self)} of {self._in_all} {things}"
        if is_metered:
            return f"{len(self)} {things} of {self.summary['packets_metered']} packets"
        return f"{len(self)} {things} of {self.summary['flows_matching']} flows"

    def __repr__(self) -> str:
        return f"<warpmeter.Flows: {self._title()}>"

    def _repr_html_(self) -> str:
        """For notebooks: ten rows, the totals, and what is damaged."""
        first = self.head(10)._rows
        values = [first.values(place) for place in range(len(self.schema))]
        return table_of(self._title(), self.schema, values, len(self), self.summary, self.warnings)


class Stream(Run[FlowRun]):
    """Flow Records while they are exported, in batches, so that memory stays within `memory`.

    Iterate over it, or give it to one taker of Arrow streams. The first Flow Record of extract() comes when all packets
    have been read. A context manager; close() ends what still runs. summary, damage and warnings, as of Flows, are
    there after the end. One thread at a time.
    """

    def __init__(
        self, inputs: Inputs, begin: Callable[[], FlowRun], of_records: bool = True, progress: Wanted = None
    ) -> None:
        self._given = False
        self._of_records = of_records  # as of Flows
        super().__init__(inputs, begin, progress)

    def __iter__(self) -> "Stream":
        return self

    def __next__(self) -> Batch:
        if self._given:
            raise Error("its Flow Records were given to somebody else")
        return self._take(self._run.next)

    def _read(self) -> None:
        super()._read()
        self._inputs.all_is_read()

    def _let_go(self) -> None:
        """Who it was given to has ended."""
        try:
            self._at_end()
        except Error:
            pass
        self.close()

    def to_end(self) -> None:
        """Of what is left, nothing is kept."""
        for _ in self:
            pass

    def flows(self) -> Flows:
        """All that were not taken yet."""
        batches = list(self)
        read_from = [*self._inputs.names, *self._inputs.never_overwrite]
        return Flows(self._run.kept(batches), self.summary, self.warnings, self._of_records, read_from)

    def __arrow_c_schema__(self) -> object:
        return self._run.schema()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Once, what was not taken yet."""
        if self._end and not self._given:
            raise Error("its Flow Records have been taken to the end")
        first = next(self, None)
        self._given = True
        if first is not None:
            self._run.own(self._inputs.give_files())
        return self._run.kept([]).stream() if first is None else self._run.stream(first)

    def __reduce__(self) -> Any:
        raise TypeError("a Stream cannot be copied or pickled: flows() or a table has what it gives")

    def __enter__(self) -> "Stream":
        return self

    def __del__(self) -> None:
        if not self._given:
            super().__del__()
