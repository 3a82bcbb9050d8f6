"""packets()."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Unpack, overload

from . import _extension
from ._errors import UsageError
from ._extension import FlowRun
from ._extract import Source
from ._flows import Flows, Stream
from ._inputs import Inputs
from ._keywords import Path, document, words_of
from ._options import PacketsOptions
from ._run import Run
from ._show import ArrowFlows, FlowFile


@dataclass(frozen=True)
class Packets:
    """An output that was written: a capture, or the file of a table.

    summary: what the command writes with --stats: "packets_read", "packets_written", "flows_selected", ...
    damage: for each place where a file is damaged "file", "offset" in bytes, and "reason".
    warnings: lines for the user, as of files that cannot be read.
    """

    output: str
    summary: dict[str, Any]
    damage: list[dict[str, Any]]
    warnings: list[str]


class _PacketStream(Stream):
    """Of captures, and perhaps of Flow Records: both are let go at the end."""

    def __init__(self, inputs: Inputs, flows: Inputs, begin: Callable[[], FlowRun]) -> None:
        self._flow_inputs = flows
        inputs.show_also(flows)
        try:
            super().__init__(inputs, begin, of_records=False)
        except BaseException:
            flows.close()
            raise
        self._run.own(flows.give_files())

    def _read(self) -> None:
        Run._read(self)  # rows come while captures are still being read

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        if self._inputs.has_feeds and not self._given:  # which this thread has to read meanwhile
            return self.flows().__arrow_c_stream__()
        return super().__arrow_c_stream__(requested_schema)

    def close(self) -> None:
        # First: the run may wait for what another run gives it, and ends with that.
        self._flow_inputs.close()
        super().close()


def _begin(inputs: Inputs, flows: Inputs, words: list[tuple[str, bytes]]) -> FlowRun:
    if flows.stream is not None:
        return _extension.packets_stream(inputs.names, flows.stream, flows.stream_name, words)
    return _extension.packets(inputs.names, words + [("flows", name) for name in flows.names])


@overload
def packets(
    source: Source | Sequence[Source],
    filter: str | None = None,
    *,
    capture_filter: str | None = None,
    flows: FlowFile | Sequence[FlowFile] | ArrowFlows | None = None,
    output: None = None,
    table: bool | None = None,
    stream: Literal[False] = False,
    **options: Unpack[PacketsOptions],
) -> Flows: ...
@overload
def packets(
    source: Source | Sequence[Source],
    filter: str | None = None,
    *,
    capture_filter: str | None = None,
    flows: FlowFile | Sequence[FlowFile] | ArrowFlows | None = None,
    output: Path | None = None,
    table: bool | None = None,
    stream: Literal[True],
    **options: Unpack[PacketsOptions],
) -> Stream: ...
@overload
def packets(
    source: Source | Sequence[Source],
    filter: str | None = None,
    *,
    capture_filter: str | None = None,
    flows: FlowFile | Sequence[FlowFile] | ArrowFlows | None = None,
    output: Path,
    table: Literal[True],
    stream: Literal[False] = False,
    **options: Unpack[PacketsOptions],
) -> Flows: ...
@overload
def packets(
    source: Source | Sequence[Source],
    filter: str | None = None,
    *,
    capture_filter: str | None = None,
    flows: FlowFile | Sequence[FlowFile] | ArrowFlows | None = None,
    output: Path,
    table: Literal[False] | None = None,
    stream: Literal[False] = False,
    **options: Unpack[PacketsOptions],
) -> Packets: ...
def packets(
    source: Any,
    filter: str | None = None,
    *,
    capture_filter: str | None = None,
    flows: Any = None,
    output: Path | None = None,
    table: bool | None = None,
    stream: bool = False,
    **options: Any,
) -> Flows | Stream | Packets:
    """The packets of chosen flows, of chosen verdicts, or all: what `warpmeter packets` writes.

    source: captures as of extract(); with filter and without flows files alone, which are read twice.
    filter: only packets of flows that meet this, "missing_bytes > 0", as of show().
    capture_filter: a capture filter as in pcap-filter(7), "tcp port 443", which comes first.
    flows: take flows from these Flow Records, by their Flow Keys and times, all or those that meet the filter: files as
        of show(), or Arrow columns, such as what extract() and show() return.
    output: a capture, "odd.pcapng", or the file of a table, "packets.parquet".
    table: True returns the table beside an output: a row a packet that was metered, with its verdict, as Arrow columns.
        Without an output it is returned in any case.
    stream: True returns the table in batches, while captures are read.
    options: the others of `warpmeter packets --help`, with _ for -, see below: verdict=["retransmitted", "duplicate"],
        biflow=True; features=True gives a row a flow, for machine learning.

    Returns the table, or, of an output alone what there is to tell of it. Raises as extract() does.
    """
    if table is False and output is None:
        raise UsageError("table: without an output, there is nothing else to return")
    is_taken = output is None or bool(table) or stream
    named = None if output is None else os.fsencode(output)
    words = words_of(
        {**options, "filter": filter, "capture_filter": capture_filter, "output": named, "table": is_taken},
        PacketsOptions,
    )
    of_flows = Inputs([] if flows is None else flows, of_flows=True)
    try:
        inputs = Inputs(source)
    except BaseException:
        of_flows.close()
        raise
    words += [("also-read", name) for name in inputs.never_overwrite]
    run = _PacketStream(inputs, of_flows, lambda: _begin(inputs, of_flows, words))
    if stream:
        return run
    with run:
        if output is None or table:
            return run.flows()
        run.to_end()
        return Packets(os.fsdecode(output), run.summary, run.damage, run.warnings)


document(packets, PacketsOptions, Flows | Stream | Packets)
