"""What extract() and show() return."""

import json
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any

from ._errors import Error
from ._extension import Batch, FlowRun
from ._inputs import Inputs


class Flows:
    """Flow Records, or rows made of them, in the order of the command's output, as Arrow columns.

    Whatever takes Arrow's PyCapsules takes them, and as often as it likes: polars.DataFrame(flows),
    pyarrow.table(flows), duckdb.sql("FROM flows"), pandas.DataFrame.from_arrow(flows). Nothing is copied for that here.
    len() is their number.

    summary: of extract() what the command writes with --stats: "packets read", "packets metered", "rows", "totals",
        ...; of show() "flows read", "flows matching", the "totals" of these, "rows", ...
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
        if "packets metered" in self.summary:
            return f"<warpmeter.Flows: {len(self)} Flow Records of {self.summary['packets metered']} packets>"
        return f"<warpmeter.Flows: {len(self)} rows of {self.summary['flows matching']} flows>"


class Stream:
    """Flow Records while they are exported, in batches, so that memory stays within `memory`.

    Iterate over it, or give it to one taker of Arrow streams. The first Flow Record of extract() comes when all packets
    have been read. A context manager; close() ends what still runs. summary, damage and warnings, as of Flows, are
    there after the end. One thread at a time.
    """

    def __init__(self, inputs: Inputs, begin: Callable[[], FlowRun]) -> None:
        self._inputs = inputs
        self._end: tuple[dict[str, Any], list[str]] | None = None
        self._given = False
        try:
            self._run = begin()
            if inputs.of_flows:
                self._run.own(inputs.give_files())
        except BaseException as error:
            inputs.close()
            self._show_names(error)
            raise

    def __iter__(self) -> "Stream":
        return self

    def __next__(self) -> Batch:
        if self._given:
            raise Error("its Flow Records were given to somebody else")
        if self._end:
            raise StopIteration
        try:
            self._read()
            batch = self._run.next()
            if batch is None:
                self._end = self._told()
        except BaseException as error:
            self.close()
            self._show_names(error)
            if isinstance(error, StopIteration):  # which would be the end of the Flow Records
                raise RuntimeError("what was read raised StopIteration") from error
            raise
        if batch is None:
            self.close()
            raise StopIteration
        return batch

    def _read(self) -> None:
        self._inputs.feed(self._run.ready)
        self._run.wait()
        self._inputs.all_is_read()

    def _show_names(self, error: BaseException) -> None:
        if isinstance(error, Error):
            error.args = (self._inputs.said(str(error)),)

    def _told(self) -> tuple[dict[str, Any], list[str]]:
        summary = json.loads(self._run.summary().decode(errors="surrogateescape"))
        warnings = [line.decode(errors="surrogateescape") for line in self._run.warnings()]
        return self._inputs.shown(summary), [self._inputs.said(line) for line in warnings]

    def _at_end(self) -> tuple[dict[str, Any], list[str]]:
        if not self._end:
            self._end = self._told()
        return self._end

    @property
    def summary(self) -> dict[str, Any]:
        return self._at_end()[0]

    @property
    def damage(self) -> list[dict[str, Any]]:
        places: list[dict[str, Any]] = self.summary["damage"]
        return places

    @property
    def warnings(self) -> list[str]:
        return self._at_end()[1]

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

    def close(self) -> None:
        """Ends what still runs. Nothing is left behind, and outputs that are not complete do not appear."""
        # A run whose input ends would complete its outputs. One that reads another run ends with that.
        first, last = (self._inputs, self._run) if self._inputs.of_flows else (self._run, self._inputs)
        first.close()
        last.close()

    def __enter__(self) -> "Stream":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_run", None) and not self._given:
            self.close()
