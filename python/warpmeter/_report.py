"""report()."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from . import _extension
from ._flows import Stream
from ._inputs import Inputs
from ._options import Count, Path, words_of
from ._show import ArrowFlows, FlowFile


@dataclass(frozen=True)
class Report:
    """A page that was written.

    flows: how many Flow Records are in it.
    damage: for each place where a file is damaged "file", "offset" in bytes, and "reason".
    warnings: lines for the user, as of files that cannot be read.
    """

    output: str
    flows: int
    damage: list[dict[str, Any]]
    warnings: list[str]


def report(
    flows: FlowFile | Sequence[FlowFile] | ArrowFlows, output: Path, *, title: str | None = None,
    top: Count | None = None, stats: Path | None = None, recursive: bool = False,
) -> Report:
    """Writes one HTML page that loads nothing else, with charts, from Flow Records: `warpmeter report`.

    flows: as of show(): files, folders, or Flow Records as Arrow columns, such as what extract() returns.
    output: the page, which appears when it is complete; "-" is standard output.
    title: its heading.
    top: rows of each list, 10 unless said otherwise.
    stats: what extract(stats=...) wrote when it made the flows: the page tells what could not be read there.
    recursive: folders with all below them.

    Raises as show() does. Ctrl-C ends it and raises KeyboardInterrupt; a page that is there then is complete.
    """
    words = words_of({"title": title, "top": top, "stats": stats, "recursive": recursive})
    page = os.fsencode(output)
    inputs = Inputs(flows, of_flows=True)
    if inputs.stream is None:
        run = Stream(inputs, lambda: _extension.report(inputs.names, page, words))
    else:
        run = Stream(inputs, lambda: _extension.report_stream(inputs.stream, inputs.stream_name, page, words))
    with run:
        run.to_end()
        return Report(os.fsdecode(page), run.summary["flows_read"], run.damage, run.warnings)
