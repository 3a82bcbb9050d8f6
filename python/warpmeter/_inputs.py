"""What is read, as names that the library opens: of bytes a file in memory, of an open file this itself, of what is
read otherwise a pipe. Or Flow Records as Arrow columns, which it takes as they are."""

import glob
import io
import os
import re
import select
import socket
import stat
from collections.abc import Callable, Iterable, Iterator
from fcntl import F_SETPIPE_SZ, fcntl
from typing import Any

from ._errors import CaptureError

PIPE_BYTES = 1 << 20
POLL_MS = 100
GIVEN_UP = 10  # times that a pipe was found full, POLL_MS between them


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


def _descriptor_of(source: Any) -> int | None:
    """None if there is none, or the source has it no more."""
    try:
        descriptor = source.fileno()
    except (AttributeError, OSError, ValueError):
        return None
    return descriptor if isinstance(descriptor, int) and descriptor >= 0 else None


def _is_file(descriptor: int | None) -> bool:
    try:
        return descriptor is not None and stat.S_ISREG(os.fstat(descriptor).st_mode)
    except OSError:
        return False


def _is_plain(source: Any) -> bool:
    """What it reads are the bytes of its descriptor: it is of open(), and unpacks and decrypts nothing."""
    return type(source.raw if type(source) is io.BufferedReader else source) is io.FileIO


def _is_whole_file(source: Any) -> bool:
    """One that can as well be opened by its name. Others, and where reading has begun, are read as they are."""
    descriptor = _descriptor_of(source)
    if not (_is_file(descriptor) and _is_plain(source) and source.readable() and source.tell() == 0):
        return False
    return os.access(f"/proc/self/fd/{descriptor}", os.R_OK)


class _Feed:
    """A pipe, and the reader whose bytes go through it. Nothing waits but the reader itself."""

    def __init__(self, source: Any, read: Callable[[int], Any]) -> None:
        self._name = _name_of(source)
        self._read = read
        # Where it can be asked whether a reading would wait.
        self._asked = source if type(source) is socket.socket or _is_plain(source) else None
        self._left = memoryview(b"")
        self.found_full = 0  # in succession
        # Its reading end stays open until the run has read all, so that no signal comes of writing.
        self.read_end, self.write_end = os.pipe()
        os.set_blocking(self.write_end, False)
        try:
            fcntl(self.write_end, F_SETPIPE_SZ, PIPE_BYTES)
        except OSError:
            pass  # a user's pipes have a limit; a small one is just slower

    def move(self) -> None:
        """Moves some bytes. Waits for them, unless some are left that the pipe did not take."""
        if not self._left:
            self._left = self._more()
            if not self._left:
                self.end()
                return
        try:
            self._left = self._left[os.write(self.write_end, self._left) :]
        except BlockingIOError:
            pass

    @property
    def has_bytes(self) -> bool:
        """Some are left that the pipe did not take."""
        return bool(self._left)

    def waits_for(self) -> int | None:
        """The descriptor where the next bytes come; None if they are here, or nobody can tell."""
        return None if self.has_bytes or self._asked is None else _descriptor_of(self._asked)

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
        # Set first: another thread may do the same while this one closes.
        end, self.write_end = self.write_end, -1
        if end >= 0:
            os.close(end)

    def close(self) -> None:
        self.end()
        end, self.read_end = self.read_end, -1
        if end >= 0:
            os.close(end)


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
        self.files: list[int] = []
        self._in_memory: list[int] = []  # of these
        self.of_flows = of_flows
        self._given: Any = None
        self.has_patterns = False
        self.stream: object = None  # a capsule
        self.stream_name = f"<{type(source).__name__}>"
        self._feeds: list[_Feed] = []
        self.never_overwrite: list[bytes] = []  # names of files that the feeds read
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
            self._add_path(os.fsdecode(source))
        elif (data := _bytes_of(source)) is not None:
            self._add_bytes(source, data)
        elif self.of_flows and hasattr(source, "__arrow_c_stream__"):
            raise TypeError(f"{type(source).__name__}: Arrow columns are given alone, not among files")
        elif self.of_flows:
            raise TypeError(f"{type(source).__name__}: neither a path nor bytes, nor Flow Records as Arrow columns")
        elif _is_whole_file(source):
            file = os.dup(source.fileno())  # who gave it may close it
            self.files.append(file)
            self._add_descriptor(source, file)
        elif read := _reader_of(source):
            self._add_feed(source, read)
        else:
            raise TypeError(f"{type(source).__name__}: neither a path nor bytes, nor something that can be read")

    def _add_path(self, path: str) -> None:
        """Or those that match, where it is a pattern and no file has that name."""
        if not glob.has_magic(path) or os.path.lexists(path):
            self.names.append(os.fsencode(path))
            return
        found = sorted(glob.glob(path, recursive=True))
        if not found:
            raise CaptureError(f"{_printable(path)}: there is no such file, and none that matches it as a pattern")
        self.has_patterns = True
        self.names += map(os.fsencode, found)

    def _add_feed(self, source: Any, read: Callable[[int], Any]) -> None:
        feed = _Feed(source, read)
        self._feeds.append(feed)
        self._add_descriptor(source, feed.read_end)
        descriptor = _descriptor_of(source)
        if descriptor is not None and _is_file(descriptor):
            file = os.dup(descriptor)
            self.files.append(file)
            self.never_overwrite.append(self._show_as(source, file))

    def _add_bytes(self, source: object, data: memoryview) -> None:
        file = os.memfd_create("capture")
        self.files.append(file)
        self._in_memory.append(file)
        while data:
            data = data[os.write(file, data) :]
        self._add_descriptor(source, file)

    def _add_descriptor(self, source: object, descriptor: int) -> None:
        self.names.append(self._show_as(source, descriptor))

    def _show_as(self, source: object, descriptor: int) -> bytes:
        name = f"/proc/self/fd/{descriptor}"
        self._shown[name] = _name_of(source)
        return name.encode()

    def show_also(self, other: "Inputs") -> None:
        """What the other has stands beside this in messages."""
        self._shown.update(other._shown)

    @property
    def has_feeds(self) -> bool:
        return bool(self._feeds)

    def feed(self, ready: Callable[[], bool]) -> None:
        """Reads what is to be read, until there is no more or the run is ready. Raises what reading raises."""
        while not ready() and (feeds := [feed for feed in self._feeds if not feed.ended]):
            if feed := _wanted(feeds):
                feed.move()

    def all_is_read(self) -> None:
        """Of captures, when the first Flow Records come; files of Flow Records are read meanwhile. Those on the disk
        stay open, so that outputs that are still to come are known not to be one of them."""
        if self.of_flows:
            return
        for feed in self._feeds:
            feed.close()
        done, self._in_memory = self._in_memory, []
        self.files = [file for file in self.files if file not in done]
        for file in done:
            os.close(file)

    def give_files(self) -> list[int]:
        """To who closes them: they are needed as long as there is somebody who takes what is given."""
        given, self.files, self._in_memory = self.files, [], []
        return given

    def close(self) -> None:
        for feed in self._feeds:
            feed.close()
        for file in self.give_files():
            os.close(file)
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


def _ready(descriptors: Iterable[int], event: int, wait_ms: int) -> set[int]:
    poll = select.poll()
    for descriptor in descriptors:
        poll.register(descriptor, event)
    return {descriptor for descriptor, _ in poll.poll(wait_ms)}


def _wanted(feeds: list[_Feed]) -> _Feed | None:
    """The one that is to be read. The library reads pipes one after the other, and whoever fills them may do the same:
    it is the first, unless its pipe is full for so long that the library has given it up. Another one comes where it is
    known that the next bytes of the first are not there, and its own are. None: for now there is none."""
    room = _ready([feed.write_end for feed in feeds], select.POLLOUT, 0)
    for feed in feeds:
        if feed.write_end in room:
            feed.found_full = 0
    first = next((feed for feed in feeds if feed.found_full < GIVEN_UP), feeds[0])
    if first.write_end not in room and not _ready([first.write_end], select.POLLOUT, POLL_MS):
        first.found_full += 1
        return None
    if len(feeds) == 1 or first.waits_for() is None:
        return first
    may_go = [feed for feed in feeds if feed is first or feed.write_end in room]
    asked = [descriptor for feed in may_go if (descriptor := feed.waits_for()) is not None]
    there = _ready(asked, select.POLLIN, 0 if any(feed.has_bytes for feed in may_go) else POLL_MS)
    return next((feed for feed in may_go if feed.has_bytes or feed.waits_for() in there), None)
