"""What is read, as names that the library opens: of bytes a file in memory, of what is read a pipe. Or Flow Records as
Arrow columns, which it takes as they are."""

import os
import re
import select
from collections.abc import Callable, Iterable, Iterator
from fcntl import F_SETPIPE_SZ, fcntl
from typing import Any

PIPE_BYTES = 1 << 20
POLL_MS = 100


def _name_of(source: object) -> str:
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else f"<{type(source).__name__}>"


def _printable(name: str) -> str:
    """As the command shows names: what a terminal would take for a command, or a line of its own, is escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in name)


def _reader_of(source: Any) -> Callable[[int], Any] | None:
    # read1() and recv() give what is there; read() may wait for all that was asked for.
    readers = (getattr(source, name, None) for name in ("read1", "read", "recv"))
    return next(filter(None, readers), None)


class _Feed:
    """A pipe, and the reader whose bytes go through it. Nothing waits but the reader itself."""

    def __init__(self, source: object, read: Callable[[int], Any]) -> None:
        self._name = _name_of(source)
        self._read = read
        self._left = memoryview(b"")
        # Its reading end stays open until the run has read all, so that no signal comes of writing.
        self.read_end, self.write_end = os.pipe()
        os.set_blocking(self.write_end, False)
        try:
            fcntl(self.write_end, F_SETPIPE_SZ, PIPE_BYTES)
        except OSError:
            pass  # a user's pipes have a limit; a small one is just slower

    def move(self) -> bool:
        """Moves some bytes; False: the pipe is full."""
        if not self._left:
            self._left = self._more()
            if not self._left:
                self.end()
                return True
        try:
            self._left = self._left[os.write(self.write_end, self._left) :]
        except BlockingIOError:
            return False
        return True

    def _more(self) -> memoryview:
        data = self._read(PIPE_BYTES)
        if data is None:
            raise BlockingIOError(f"{self._name}: does not wait for bytes; only what blocks can be read")
        if isinstance(data, str):
            raise TypeError(f"{self._name}: gives text; captures are bytes (open it with 'rb')")
        return memoryview(data).cast("B")

    @property
    def ended(self) -> bool:
        return self.write_end < 0

    def end(self) -> None:
        if self.write_end >= 0:
            os.close(self.write_end)
        self.write_end = -1

    def close(self) -> None:
        self.end()
        if self.read_end >= 0:
            os.close(self.read_end)
        self.read_end = -1


def _each(source: object) -> Iterator[object]:
    if isinstance(source, (list, tuple)):
        yield from source
    else:
        yield source


def _bytes_of(source: Any) -> memoryview | None:
    try:
        view = memoryview(source)
    except TypeError:
        return None
    return view.cast("B") if view.c_contiguous else memoryview(view.tobytes())


class Inputs:
    """Holds descriptors until close(). of_flows: Flow Records are wanted, no captures."""

    def __init__(self, source: Any, of_flows: bool = False) -> None:
        self.names: list[bytes] = []
        self.files: list[int] = []  # in memory
        self.of_flows = of_flows
        self._given: Any = None
        self.stream: object = None  # a capsule
        self.stream_name = f"<{type(source).__name__}>"
        self._feeds: list[_Feed] = []
        self._shown: dict[str, str] = {}
        try:
            if of_flows and hasattr(source, "__arrow_c_stream__"):
                self._given = source
                self.stream = source.__arrow_c_stream__()
                return
            for one in _each(source):
                self._add(one)
        except BaseException:
            self.close()
            raise

    def _add(self, source: Any) -> None:
        if isinstance(source, (str, os.PathLike)):
            self.names.append(os.fsencode(source))
        elif (data := _bytes_of(source)) is not None:
            self._add_bytes(source, data)
        elif self.of_flows and hasattr(source, "__arrow_c_stream__"):
            raise TypeError(f"{type(source).__name__}: Arrow columns are given alone, not among files")
        elif self.of_flows:
            raise TypeError(f"{type(source).__name__}: neither a path nor bytes, nor Flow Records as Arrow columns")
        elif read := _reader_of(source):
            feed = _Feed(source, read)
            self._feeds.append(feed)
            self._add_descriptor(source, feed.read_end)
        else:
            raise TypeError(f"{type(source).__name__}: neither a path nor bytes, nor something that can be read")

    def _add_bytes(self, source: object, data: memoryview) -> None:
        file = os.memfd_create("capture")
        self.files.append(file)
        while data:
            data = data[os.write(file, data) :]
        self._add_descriptor(source, file)

    def _add_descriptor(self, source: object, descriptor: int) -> None:
        name = f"/proc/self/fd/{descriptor}"
        self.names.append(name.encode())
        self._shown[name] = _name_of(source)

    @property
    def has_feeds(self) -> bool:
        return bool(self._feeds)

    def feed(self, ready: Callable[[], bool]) -> None:
        """Reads what is to be read, until there is no more or the run is ready. Raises what reading raises."""
        while feeds := [feed for feed in self._feeds if not feed.ended]:
            if not any([feed.move() for feed in feeds]):
                _await_room(feeds)
            if ready():
                return

    def all_is_read(self) -> None:
        """Of captures, when the first Flow Records come; files of Flow Records are read meanwhile."""
        if not self.of_flows:
            self.close()

    def give_files(self) -> list[int]:
        """To who closes them: files of Flow Records are read as long as there is somebody who takes what is shown."""
        given, self.files = self.files, []
        return given

    def close(self) -> None:
        for feed in self._feeds:
            feed.close()
        for file in self.files:
            os.close(file)
        self.files = []
        # A run whose Flow Records are read here ends, too: who waits for it in a thread meets an end.
        let_go = getattr(self._given, "_let_go", None)
        if let_go:
            let_go()
        self._given = self.stream = None

    def said(self, line: str) -> str:
        """A line for the user, with what the caller gave in place of the names here."""
        return re.sub(r"/proc/self/fd/\d+", lambda found: _printable(self._shown.get(found[0], found[0])), line)

    def shown(self, told: Any) -> Any:
        """The same of what JSON has, where names are as they are."""
        if isinstance(told, str):
            return re.sub(r"/proc/self/fd/\d+", lambda found: self._shown.get(found[0], found[0]), told)
        if isinstance(told, list):
            return [self.shown(one) for one in told]
        if isinstance(told, dict):
            return {key: self.shown(value) for key, value in told.items()}
        return told


def _await_room(feeds: Iterable[_Feed]) -> None:
    poll = select.poll()
    for feed in feeds:
        poll.register(feed.write_end, select.POLLOUT)
    poll.poll(POLL_MS)
