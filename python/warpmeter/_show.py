"""show()."""

import os
from collections.abc import Sequence
from typing import Any, Literal, Protocol, Union, Unpack, overload

from . import _extension
from ._errors import UsageError
from ._flows import Flows, Stream
from ._inputs import Inputs
from ._keywords import document, words_of
from ._options import ShowOptions


class ArrowFlows(Protocol):
    """Flow Records as Arrow columns: what extract() and show() return, tables of pyarrow, frames of polars, ..."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...


FlowFile = Union[str, os.PathLike[str], bytes, bytearray, memoryview]


def _words(by: str | None, options: dict[str, Any]) -> list[tuple[str, bytes]]:
    if by is not None:
        if options.get("top") is None:
            raise UsageError("by: goes with top, the number of those that are shown")
        options["top"] = f"{options['top']} by {by}"
    return words_of(options, ShowOptions)


@overload
def show(
    flows: FlowFile | Sequence[FlowFile] | ArrowFlows,
    filter: str | None = None,
    *,
    by: str | None = None,
    stream: Literal[False] = False,
    **options: Unpack[ShowOptions],
) -> Flows: ...
@overload
def show(
    flows: FlowFile | Sequence[FlowFile] | ArrowFlows,
    filter: str | None = None,
    *,
    by: str | None = None,
    stream: Literal[True],
    **options: Unpack[ShowOptions],
) -> Stream: ...
@overload
def show(
    flows: FlowFile | Sequence[FlowFile] | ArrowFlows,
    filter: str | None = None,
    *,
    by: str | None = None,
    stream: bool,
    **options: Unpack[ShowOptions],
) -> Flows | Stream: ...
def show(
    flows: Any, filter: str | None = None, *, by: str | None = None, stream: bool = False, **options: Any
) -> Flows | Stream:
    """Filters, sorts and sums Flow Records: what `warpmeter show` writes as CSV, as Arrow columns.

    flows: a file of Flow Records (CSV, JSON lines, IPFIX, Parquet), a folder of them, the name of a rotated set, a
        pattern such as "day-*.parquet", or "-", standard input; the bytes of such a file; a list of these; or Flow
        Records as Arrow columns: what extract() and show() return, a batch of it, a table of pyarrow, a frame of polars
        or pandas.
    filter: only flows that meet this, "tcp and port 443 and retransmission_share > 1%".
    by: with top, the column by which the first ones are the first: top=10, by="retransmitted_segments".
    stream: True returns what is shown in batches; without sort, top, sum and aggregate while flows are read, so that
        memory does not grow with their number.
    options: those of `warpmeter show --help`, with _ for -: see below. Lists of keys and columns are lists:
        sum=["src_addr/24", "dst_port"].

    With sum or columns the rows are those of the command's CSV, with its columns. Times are nanoseconds since 1970 UTC,
    durations nanoseconds, sizes bytes, retransmission_share a part of one. Raises as extract() does, CaptureError if
    nothing holds Flow Records.
    """
    words = _words(by, {**options, "filter": filter})
    of_records = not any(options.get(name) for name in ("sum", "columns", "community_id", "names"))
    inputs = Inputs(flows, of_flows=True)
    if inputs.stream is None:
        run = Stream(inputs, lambda: _extension.show(inputs.names, words), of_records)
    else:
        run = Stream(inputs, lambda: _extension.show_stream(inputs.stream, inputs.stream_name, words), of_records)
    if stream:
        return run
    with run:
        return run.flows()


document(show, ShowOptions, Flows | Stream)
