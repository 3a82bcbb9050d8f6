"""The program's commands as tasks use them: `decode`, `extract` of segment sets, `merge`. What they are called and what
they tell is written here and nowhere else."""

import contextlib
import ctypes
import json
import os
import queue
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, BinaryIO

from .._errors import Error, UsageError
from .._program import PROGRAM
from .task import Lost

READ, DAMAGED, INTERRUPTED, USAGE = 0, 3, 130, 2
CHUNK = 8 << 20
POLL_S = 0.2
EMPTY_PCAP = bytes.fromhex("d4c3b2a1 0200 0400 00000000 00000000 ffff0000 01000000")

_LIBC = ctypes.CDLL(None)
_PR_SET_PDEATHSIG = 1


def _die_with_parent() -> None:
    """Of a program whose worker is killed nobody takes the result."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


@dataclass(frozen=True)
class Ended:
    """said: lines of standard error, without "warpmeter: "."""

    status: int
    said: list[str]

    @property
    def why(self) -> str:
        return self.said[-1] if self.said else f"the program ended with {self.status}"


def segment_file(partition: int, partitions: int) -> str:
    return f"part-{partition:02}-of-{partitions:02}.segments"


def _pieces(source: BinaryIO, wanted: Callable[[], bool]) -> Iterator[bytes]:
    """Reads the next piece while one is used, until the end, or nothing is wanted any more. Raises what reading raises.
    The thread that takes them never waits for long: Ray interrupts none that does."""
    pieces: queue.Queue[bytes | BaseException] = queue.Queue(maxsize=2)
    ended = threading.Event()

    def put(piece: bytes | BaseException) -> None:
        while not ended.is_set():
            try:
                return pieces.put(piece, timeout=POLL_S)
            except queue.Full:
                pass

    def read() -> None:
        try:
            while not ended.is_set() and (piece := source.read(CHUNK)):
                put(piece)
            put(b"")
        except BaseException as error:
            put(error)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        while wanted():
            try:
                piece = pieces.get(timeout=POLL_S)
            except queue.Empty:
                continue
            if isinstance(piece, BaseException):
                raise piece
            if not piece:
                break
            yield piece
    finally:
        ended.set()
        reader.join(1.0)  # it may wait for a network, for ever


def _feed(program: "subprocess.Popen[bytes]", source: BinaryIO) -> None:
    """Until the source ends, or the program has ended or wants no more."""
    assert program.stdin is not None
    with contextlib.closing(_pieces(source, lambda: program.poll() is None)) as pieces:  # type: ignore[type-var]
        try:
            for piece in pieces:
                program.stdin.write(piece)
            program.stdin.close()
        except BrokenPipeError:
            pass


def _wait(program: "subprocess.Popen[bytes]") -> None:
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            program.wait(POLL_S)
            return


def run(
    words: Sequence[str], source: BinaryIO | None = None, environment: Mapping[str, str] = MappingProxyType({})
) -> Ended:
    """Of one command, to its end. source: its standard input. environment: what others must not see, as command lines
    are seen by all users. Raises Lost if it was killed, Error if it crashed."""
    with tempfile.TemporaryFile() as errors:
        with subprocess.Popen(
            [PROGRAM, *words],
            stdin=subprocess.DEVNULL if source is None else subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env={**os.environ, **environment},
            preexec_fn=_die_with_parent,
        ) as program:
            try:
                if source is not None:
                    _feed(program, source)
                _wait(program)
            except BaseException:
                program.kill()
                program.stdin = None  # what is left for it is for nobody
                raise
        errors.seek(0)
        text = errors.read().decode(errors="surrogateescape")
    said = [line.removeprefix("warpmeter: ") for line in text.splitlines()]
    status = program.returncode
    if status in (-signal.SIGKILL, -signal.SIGTERM, INTERRUPTED):
        raise Lost(f"warpmeter {words[0]} was killed")
    if status < 0:
        raise Error(f"warpmeter {words[0]} crashed: {signal.Signals(-status).name}")
    return Ended(status, said)


def _told(path: str) -> dict[str, Any]:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            told = json.load(file)
    except (FileNotFoundError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


def check(options: Sequence[str], filter: str | None) -> None:
    """Raises UsageError for options of `extract` that are wrong, before anything is started."""
    with tempfile.TemporaryDirectory(prefix="warpmeter-check-") as folder:
        capture = os.path.join(folder, "empty.pcap")
        with open(capture, "wb") as file:
            file.write(EMPTY_PCAP)
        words = ["extract", "-q", *options, "--backend", "cpu", "-o", os.path.join(folder, "flows.csv"), capture]
        ended = run([*words, filter] if filter else words)
    if ended.status == USAGE:
        raise UsageError(ended.said[0])


@dataclass(frozen=True)
class Decoded:
    """Of a segment set. Times are None if there is no packet. counters: of decoding, numbers and dicts of them."""

    packets: int = 0
    first_ns: int | None = None
    latest_ns: int | None = None
    counters: dict[str, Any] = field(default_factory=dict)
    damage: list[dict[str, Any]] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)  # lines for the user
    is_there: bool = False  # a set was written


def decode(
    names: dict[str, str],
    folder: str,
    options: Sequence[str],
    filter: str | None,
    stats: str,
    source: BinaryIO | None = None,
    environment: Mapping[str, str] = MappingProxyType({}),
) -> Decoded:
    """names: what the user calls the inputs, by their paths, or by "-", which is `source`. Raises Error, Lost."""
    words = ["decode", "-q", f"--stats={stats}", f"--output={folder}", *options]
    words += [f"--stdin-name={names['-']}"] if "-" in names else []
    ended = run([*words, *names, *([filter] if filter else [])], source, environment)
    told = _told(stats)
    if ended.status in (READ, DAMAGED):
        counters, findings = told["counters"], told["findings"]
        for name, by_name in (("not_ip", "not_ip"), ("unopened_tunnels", "tunnels_not_opened")):
            counters[name] = told[by_name]
        packets = counters.pop("frames")
        return Decoded(
            packets=packets,
            first_ns=told["first_ns"] if packets else None,
            latest_ns=told["latest_ns"] if packets else None,
            counters={**counters, **{name: findings[name] for name in ("clamped_times", "time_runs_back_count")}},
            damage=[{**place, "file": names.get(place["file"], place["file"])} for place in findings["damage"]],
            unreadable=[_renamed(line, names) for line in findings["unreadable"]],
            is_there=True,
        )
    # That nothing of it can be read is no failure here, but one of disks, memory or options is.
    if ended.status == 1 and all(_name_in(line, names) for line in ended.said):
        return Decoded(unreadable=[_renamed(line, names) for line in ended.said])
    raise Error(f"decode: {ended.why}")


def _name_in(line: str, names: dict[str, str]) -> str | None:
    """That a line about an input begins with."""
    known = {**{name: name for name in names}, **({"standard input": "-", names["-"]: "-"} if "-" in names else {})}
    return next((name for name in known if line.startswith(f"{name}: ")), None)


def _renamed(line: str, names: dict[str, str]) -> str:
    name = _name_in(line, names)
    return line if name is None else f"{names.get(name, names.get('-', name))}: {line.removeprefix(name + ': ')}"


def meter(files: Sequence[str], output: str, options: Sequence[str], stats: str) -> dict[str, Any]:
    """files: of one partition, of all sets. What --stats tells. Damage is that of decoding, told before."""
    ended = run(["extract", "-q", f"--stats={stats}", f"--output={output}", *options, *files])
    if ended.status not in (READ, DAMAGED):
        raise Error(f"extract: {ended.why}")
    return _told(stats)


def merge(files: Sequence[str], output: str, options: Sequence[str]) -> None:
    ended = run(["merge", "-q", f"--output={output}", *options, *files])
    if ended.status != READ:
        raise Error(f"merge: {ended.why}")
