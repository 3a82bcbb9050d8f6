"""Exact Flow Records of packet captures, as Arrow columns.

    import polars as pl
    import warpmeter as wm

    flows = wm.extract("trace.pcap.zst", filter="tcp", biflow=True)
    flows.head()                     # in a notebook, a table
    pl.DataFrame(flows)              # or flows.to_polars(), .to_pandas(), .to_arrow(), .write_parquet("f.parquet")
    wm.show(flows, sum="src_addr", top=10, by="retransmitted_segments")
    wm.report(flows, "report.html")  # without a file: shows itself in a notebook
    wm.packets("trace.pcap.zst", "retransmitted_segments > 9", output="worst.pcap")
    for block in wm.streams("trace.pcap", "tcp port 80"):
        print(block.connection.client, [bytes(sub) for sub in block.sub_blocks])

extract() meters, show() filters, sorts and sums Flow Records, report() writes a page of them, as the commands of these
names do and with their options; packets() goes from flows to their packets, streams() gives what TCP carried, and
info() tells what captures hold. Times are nanoseconds since 1970 UTC, sizes bytes.
"""

from ._column import Column
from ._errors import CaptureError, Error, UsageError
from ._extension import Batch, Block, Connection, ConnectionReport, Direction, SubBlock
from ._extension import version as __version__
from ._extract import extract
from ._flows import Flows, Stream
from ._info import info
from ._options import ExtractOptions, InfoOptions, PacketsOptions, ReportOptions, ShowOptions, StreamsOptions
from ._packets import Packets, packets
from ._progress import Progress
from ._report import Report, report
from ._show import show
from ._streams import Streams, streams

__all__ = [
    "Batch", "Block", "CaptureError", "Column", "Connection", "ConnectionReport", "Direction", "Error",
    "ExtractOptions", "Flows", "InfoOptions", "Packets", "PacketsOptions", "Progress", "Report", "ReportOptions",
    "ShowOptions", "Stream", "Streams", "StreamsOptions", "SubBlock", "UsageError", "extract", "info", "packets",
    "report", "show", "streams",
]
