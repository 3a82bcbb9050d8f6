"""extract()."""

import os
from collections.abc import Sequence
from typing import Any, Literal, Protocol, Union, Unpack, overload

from . import _extension
from ._flows import Flows, Stream
from ._inputs import Inputs
from ._keywords import document, words_of
from ._options import ExtractOptions
from ._progress import Wanted


class Reader(Protocol):
    """A file, a response, what unpacks: anything whose read() gives bytes. A socket will do, too."""

    def read(self, size: int, /) -> bytes: ...


class Socket(Protocol):
    def recv(self, size: int, /) -> bytes: ...


Source = Union[str, os.PathLike[str], bytes, bytearray, memoryview, Reader, Socket]


@overload
def extract(
    source: Source | Sequence[Source],
    filter: str | None = None,
    *,
    stream: Literal[False] = False,
    progress: Wanted = None,
    **options: Unpack[ExtractOptions],
) -> Flows: ...
@overload
def extract(
    source: Source | Sequence[Source],
    filter: str | None = None,
    *,
    stream: Literal[True],
    progress: Wanted = None,
    **options: Unpack[ExtractOptions],
) -> Stream: ...
@overload
def extract(
    source: Source | Sequence[Source],
    filter: str | None = None,
    *,
    stream: bool,
    progress: Wanted = None,
    **options: Unpack[ExtractOptions],
) -> Flows | Stream: ...
def extract(
    source: Any, filter: str | None = None, *, stream: bool = False, progress: Wanted = None, **options: Any
) -> Flows | Stream:
    """Meters captures: the Flow Records that `warpmeter extract` writes.

    source: a capture file, a folder of them, a pattern such as "captures/*.pcap" or "captures/**/*.pcap.zst", or "-",
        standard input; the bytes of a capture, which are copied once; something with read(), as an open file, or a
        socket; or a list of these: one trace. Files, and open ones from which nothing was read yet, are in the order
        of time; what else is read stays where it was named.
    filter: a capture filter as in pcap-filter(7), "tcp port 443".
    stream: True returns them in batches, while they are exported, and keeps memory within the option `memory`.
    progress: True shows on standard error how far reading is; a function is called with a Progress some times a second,
        and once at the end, in the thread that called this. What it raises ends the run.
    options: those of `warpmeter extract --help`, with _ for -: see below. False and None leave an option out; a list of
        outputs is several.

    Other threads go on meanwhile. Ctrl-C ends the run and raises KeyboardInterrupt; whatever ends it, nothing is left
    behind. Raises UsageError for wrong options, CaptureError if nothing can be read, Error if it fails otherwise, and
    what reading `source` raises. Damage raises nothing: see Flows.damage.
    """
    words = words_of({**options, "filter": filter}, ExtractOptions)
    inputs = Inputs(source)
    words += [("also-read", name) for name in inputs.never_overwrite]
    words += [("progress", b"")] if progress else []
    has_more = any(options.get(name) for name in ("columns", "community_id", "names"))
    run = Stream(inputs, lambda: _extension.extract(inputs.names, words), not has_more, progress)
    if stream:
        return run
    with run:
        return run.flows()


document(extract, ExtractOptions, Flows | Stream)
