"""report()."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from . import _extension
from ._flows import Stream
from ._inputs import Inputs
from ._keywords import Path, document, words_of
from ._options import ReportOptions
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
    flows: FlowFile | Sequence[FlowFile] | ArrowFlows, output: Path, **options: Unpack[ReportOptions]
) -> Report:
    """Writes one HTML page that loads nothing else, with charts, from Flow Records: `warpmeter report`.

    flows: as of show(): files, folders, or Flow Records as Arrow columns, such as what extract() returns.
    output: the page, which appears when it is complete; "-" is standard output.
    options: the others of `warpmeter report --help`: title="Link 7", its heading; stats, what extract(stats=...) wrote
        when it made the flows: the page tells what could not be read there; ...

    Raises as show() does. Ctrl-C ends it and raises KeyboardInterrupt; a page that is there then is complete.
    """
    words = words_of(options, ReportOptions)
    page = os.fsencode(output)
    inputs = Inputs(flows, of_flows=True)
    if inputs.stream is None:
        run = Stream(inputs, lambda: _extension.report(inputs.names, page, words))
    else:
        run = Stream(inputs, lambda: _extension.report_stream(inputs.stream, inputs.stream_name, page, words))
    with run:
        run.to_end()
        return Report(os.fsdecode(page), run.summary["flows_read"], run.damage, run.warnings)


document(report, ReportOptions, Report)
