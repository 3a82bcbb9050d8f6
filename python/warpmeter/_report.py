"""report()."""

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, Unpack

from . import _extension
from ._flows import Stream
from ._inputs import Inputs
from ._keywords import Path, document, words_of
from ._options import ReportOptions
from ._show import ArrowFlows, FlowFile


@dataclass(frozen=True)
class Report:
    """A page that was made. As the last line of a notebook's cell, one without a file shows itself.

    output: the file that it was written to; None if it was not.
    flows: how many Flow Records are in it.
    damage: for each place where a file is damaged "file", "offset" in bytes, and "reason".
    warnings: lines for the user, as of files that cannot be read.
    html: the page, if it was not written to a file.
    """

    output: str | None
    flows: int
    damage: list[dict[str, Any]]
    warnings: list[str]
    html: str | None = field(default=None, repr=False)

    def _repr_html_(self) -> str:
        """For notebooks, in a frame, so that neither disturbs the other."""
        if self.html is None:
            return f"<p>{self.flows} Flow Records, in {escape(str(self.output))}</p>"
        page = escape(self.html)
        return f'<iframe srcdoc="{page}" sandbox="allow-scripts" style="width:100%;height:40em;border:0"></iframe>'


def report(
    flows: FlowFile | Sequence[FlowFile] | ArrowFlows, output: Path | None = None, **options: Unpack[ReportOptions]
) -> Report:
    """Makes one HTML page that loads nothing else, with charts, from Flow Records: `warpmeter report`.

    flows: as of show(): files, folders, or Flow Records as Arrow columns, such as what extract() returns.
    output: a file for the page, which appears when it is complete; "-" is standard output. None: what is returned has
        the page, and shows it in a notebook.
    options: the others of `warpmeter report --help`, with _ for -: see below. stats is what extract(stats=...) wrote
        when it made the flows: the page tells what could not be read there.

    Raises as show() does. Ctrl-C ends it and raises KeyboardInterrupt; a page that is there then is complete.
    """
    if output is not None:
        return _write(flows, output, options)
    with tempfile.TemporaryDirectory(prefix="warpmeter-") as folder:
        page = os.path.join(folder, "report.html")
        done = _write(flows, page, options)
        with open(page, encoding="utf-8", errors="replace") as file:
            return Report(None, done.flows, done.damage, done.warnings, file.read())


def _write(flows: Any, output: Path, options: Any) -> Report:
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
