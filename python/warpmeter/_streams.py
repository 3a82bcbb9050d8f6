"""streams()."""

from collections.abc import Callable, Sequence
from typing import Any, Unpack

from . import _extension
from ._extension import Block, StreamRun
from ._extract import Source
from ._inputs import Inputs
from ._keywords import document, words_of
from ._options import StreamsOptions
from ._progress import Wanted
from ._run import Run


class Streams(Run[StreamRun]):
    """Blocks of TCP connections, while captures are read: of a connection in order, of several as they come.

    Iterate over it. Some MB of blocks wait, no more: who is slow is waited for. A context manager; close() ends what
    still runs, and so does losing it. summary, damage and warnings are there after the end. One thread at a time.

    summary: what the command writes with --stats: "connections", "complete", "totals", ...
    damage: for each place where a file is damaged "file", "offset" in bytes, and "reason".
    warnings: lines for the user, as of files that cannot be read.
    """

    def __init__(self, inputs: Inputs, begin: Callable[[], StreamRun], progress: Wanted = None) -> None:
        self._there: list[Block] = []  # the last comes first
        super().__init__(inputs, begin, progress)

    def __iter__(self) -> "Streams":
        return self

    def __next__(self) -> Block:
        block = self._of_there()
        return self._take(self._first_of_next) if block is None else block

    def _of_there(self) -> Block | None:
        try:
            return self._there.pop()
        except IndexError:  # no more; another thread may have taken the last
            return None

    def _first_of_next(self) -> Block | None:
        block = self._of_there()  # another thread may have got them, since this one looked
        if block is not None:
            return block
        there = self._run.next()
        if there is None:
            return None
        there.reverse()
        first = there.pop()
        self._there = there
        return first

    def close(self) -> None:
        self._there = []
        super().close()

    def __enter__(self) -> "Streams":
        return self

    def __reduce__(self) -> Any:
        raise TypeError("Streams cannot be copied or pickled: bytes(sub_block) can")


def streams(
    source: Source | Sequence[Source],
    filter: str | None = None,
    *,
    progress: Wanted = None,
    **options: Unpack[StreamsOptions],
) -> Streams:
    """What TCP carried in captures, each byte once: the blocks of `warpmeter reassemble`.

    source: as of extract(): a capture file, a folder of them, "-", the bytes of a capture, something that can be read,
        or a list of these.
    filter: a capture filter as in pcap-filter(7), "tcp port 80".
    progress: as of extract().
    options: those of `warpmeter reassemble --help` but for outputs, with _ for -: see below.

    Of each block, `connection` tells the ends ("client", "client_port", "server", "server_port", "opened_packet",
    "opened_ns"), `sub_blocks` what was carried, in the order in which it crossed the wire: "direction" ("client" or
    "server", who sent it), "offset" in that direction, "gap", bytes before it that were given up, and "data", a
    memoryview; bytes(sub) copies them. `reason` tells why the block was submitted, `packet` by which. The last block of
    a connection has no sub-blocks, but a `report`: why it ended, and of "client" and "server" counters, gaps, and
    whether they are complete.

    Other threads go on meanwhile. Ctrl-C ends the run and raises KeyboardInterrupt. Raises as extract() does.
    """
    words = words_of({**options, "filter": filter}, StreamsOptions)
    inputs = Inputs(source)
    words += [("also-read", name) for name in inputs.never_overwrite]
    words += [("progress", b"")] if progress else []
    return Streams(inputs, lambda: _extension.streams(inputs.names, words), progress)


document(streams, StreamsOptions, Streams)
