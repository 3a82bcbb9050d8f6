"""Exact Flow Records of packet captures, as Arrow columns.

    import polars as pl
    import warpmeter as wm

    flows = wm.extract("trace.pcap.zst", filter="tcp", biflow=True)
    pl.DataFrame(flows)

extract() meters, as the command `warpmeter extract` does and with its options; info() tells what captures hold. Times
are nanoseconds since 1970 UTC, sizes bytes.
"""

from ._errors import CaptureError, Error, UsageError
from ._extension import Batch, version as __version__
from ._extract import extract
from ._flows import Flows, Stream
from ._info import info
from ._options import ExtractOptions

__all__ = ["Batch", "CaptureError", "Error", "ExtractOptions", "Flows", "Stream", "UsageError", "extract", "info"]
