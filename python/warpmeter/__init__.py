"""Exact Flow Records of packet captures, as Arrow columns.

    import polars as pl
    import warpmeter as wm

    flows = wm.extract("trace.pcap.zst", filter="tcp", biflow=True)
    pl.DataFrame(flows)
    wm.show(flows, sum="src_addr", top=10, by="retransmitted_segments")
    wm.report(flows, "report.html")

extract() meters, show() filters, sorts and sums Flow Records, report() writes a page of them, as the commands of these
names do and with their options; info() tells what captures hold. Times are nanoseconds since 1970 UTC, sizes bytes.
"""

from ._errors import CaptureError, Error, UsageError
from ._extension import Batch, version as __version__
from ._extract import extract
from ._flows import Flows, Stream
from ._info import info
from ._options import ExtractOptions, ShowOptions
from ._report import Report, report
from ._show import show

__all__ = [
    "Batch", "CaptureError", "Error", "ExtractOptions", "Flows", "Report", "ShowOptions", "Stream", "UsageError",
    "extract", "info", "report", "show",
]
