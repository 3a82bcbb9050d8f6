"""What extract(), show() and packets() return."""

from collections.abc import Callable, Iterator
from typing import Any

from ._errors import Error
from ._extension import Batch, FlowRun
from ._inputs import Inputs
from ._run import Run


class Flows:
    """Flow Records, or rows made of them, in the order of the command's output, as Arrow columns.

    Whatever takes Arrow's PyCapsules takes them, and as often as it likes: polars.DataFrame(flows),
    pyarrow.table(flows), duckdb.sql("FROM flows"), pandas.DataFrame.from_arrow(flows). Nothing is copied for that here.
    len() is their number.

    summary: of extract() what the command writes with --stats: "packets_read", "packets_metered", "rows", "totals",
        ...; of show() "flows_read", "flows_matching", the "totals" of these, "rows", ...
    damage: for each place where a file is damaged "file", "offset" in bytes, and "reason".
    warnings: lines for the user, as of files that cannot be read.
    """

    def __init__(self, run: FlowRun, batches: list[Batch], summary: dict[str, Any], warnings: list[str]) -> None:
        self._run = run
        self._batches = batches
        self.summary = summary
        self.warnings = warnings

    @property
    def damage(self) -> list[dict[str, Any]]:
        places: list[dict[str, Any]] = self.summary["damage"]
        return places

    def __len__(self) -> int:
        return sum(map(len, self._batches))

    def __iter__(self) -> Iterator[Batch]:
        """In batches."""
        return iter(self._batches)

    def __arrow_c_schema__(self) -> object:
        return self._run.schema()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._run.stream_of(self._batches)

    def __reduce__(self) -> Any:
        raise TypeError("Flows cannot be copied or pickled: pyarrow.table(flows) can")

    def __repr__(self) -> str:
        if "flows_written" in self.summary:
            return f"<warpmeter.Flows: {len(self)} rows of features>"
        if "packets_written" in self.summary:
            return f"<warpmeter.Flows: {len(self)} rows of {self.summary['packets_read']} packets>"
        if "packets_metered" in self.summary:
            return f"<warpmeter.Flows: {len(self)} Flow Records of {self.summary['packets_metered']} packets>"
        return f"<warpmeter.Flows: {len(self)} rows of {self.summary['flows_matching']} flows>"


class Stream(Run[FlowRun]):
    """Flow Records while they are exported, in batches, so that memory stays within `memory`.

    Iterate over it, or give it to one taker of Arrow streams. The first Flow Record of extract() comes when all packets
    have been read. A context manager; close() ends what still runs. summary, damage and warnings, as of Flows, are
    there after the end. One thread at a time.
    """

    def __init__(self, inputs: Inputs, begin: Callable[[], FlowRun]) -> None:
        self._given = False
        super().__init__(inputs, begin)

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
        return Flows(self._run, batches, self.summary, self.warnings)

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
        return self._run.stream_of([]) if first is None else self._run.stream(first)

    def __reduce__(self) -> Any:
        raise TypeError("a Stream cannot be copied or pickled: flows() or a table has what it gives")

    def __enter__(self) -> "Stream":
        return self

    def __del__(self) -> None:
        if not self._given:
            super().__del__()
