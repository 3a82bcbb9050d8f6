"""What can be metered, and what is raised; whatever ends a run, nothing is left behind."""

import gzip
import io
import mmap
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import unittest

import warpmeter as wm
from support import FIRST_LOOK, SOURCE, Case, rows_of, traffic


class OutOfPaper(Exception):
    pass


class Breaks:
    """Gives a capture's beginning."""

    def __init__(self, data):
        self.data = data

    def read(self, size):
        if not self.data:
            raise OutOfPaper("no more")
        part, self.data = self.data[:size], b""
        return part


class Ends:
    """Gives a capture, and ends as iterators do."""

    def __init__(self, data):
        self.parts = iter([data])

    def read(self, size):
        return next(self.parts)


def moved(capture, seconds):
    """A pcap of so much later."""
    data, at = bytearray(capture), 24
    while at < len(data):
        time, _, length = struct.unpack_from("<III", data, at)
        struct.pack_into("<I", data, at, time + seconds)
        at += 16 + length
    return bytes(data)


class Inputs(Case):
    def setUp(self):
        super().setUp()
        self.expected = rows_of(wm.extract(FIRST_LOOK))
        self.data = FIRST_LOOK.read_bytes()

    def test_patterns(self):
        below = self.folder / "below"
        below.mkdir()
        for path, packets in (self.folder / "a.pcap", 100), (self.folder / "b.pcap", 200), (below / "c.pcap", 300):
            path.write_bytes(traffic(packets))
        (self.folder / "other.txt").touch()
        for pattern, packets in (
            (f"{self.folder}/*.pcap", 300), (self.folder / "[b].pcap", 200), (f"{self.folder}/**/*.pcap", 600),
            ([f"{self.folder}/a*", below / "?.pcap"], 400),
        ):  # fmt: skip
            self.assertEqual(wm.extract(pattern).summary["packets_read"], packets, pattern)
        self.assertEqual([one["packets"] for one in wm.info(f"{self.folder}/*.pcap")], [100, 200])
        self.assertEqual([one["packets"] for one in wm.info(f"{self.folder}/a*.pcap")], [100])
        wm.extract(self.folder / "a.pcap", output=self.folder / "a.csv")
        self.assertEqual(len(wm.show(f"{self.folder}/*.csv")), len(wm.extract(self.folder / "a.pcap")))
        for function in wm.extract, wm.show, wm.info, lambda source: wm.report(source, self.folder / "page.html"):
            with self.assertRaisesRegex(wm.CaptureError, r"nothing\*: there is no such file, and none that matches"):
                function(f"{self.folder}/nothing*")
        named = self.folder / "*[x].pcap"  # a file, and no pattern, though it looks like one
        named.write_bytes(traffic(50))
        self.assertEqual(wm.extract(named).summary["packets_read"], 50)

    def same(self, source):
        with self.nothing_left():
            self.assert_same(rows_of(wm.extract(source)), self.expected)

    def test_paths(self):
        self.same(str(FIRST_LOOK))
        self.same(FIRST_LOOK)
        odd = os.fsdecode(os.fsencode(self.folder) + b"/\xff.pcap")
        with open(odd, "wb") as file:
            file.write(self.data)
        self.same(odd)
        self.same(self.folder)

    def test_bytes(self):
        for source in self.data, bytearray(self.data), memoryview(self.data), [self.data]:
            self.same(source)
        with open(FIRST_LOOK, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            self.same(mapped)

    def test_what_is_read(self):
        with open(FIRST_LOOK, "rb") as file:
            self.same(file)
        with open(FIRST_LOOK, "rb", buffering=0) as file:
            self.same(file)
        self.same(io.BytesIO(self.data))
        self.same(gzip.open(io.BytesIO(gzip.compress(self.data))))
        self.same(io.BytesIO(gzip.compress(self.data)))  # unpacked by the library

    def test_socket(self):
        ours, theirs = socket.socketpair()
        sender = threading.Thread(target=lambda: (theirs.sendall(self.data), theirs.close()))
        sender.start()
        with ours:
            self.assert_same(rows_of(wm.extract(ours)), self.expected)
        sender.join()

    def test_more_than_a_pipe_holds(self):
        data = traffic(100000)
        self.assert_same(rows_of(wm.extract(io.BytesIO(data))), rows_of(wm.extract(data)))

    def test_several_at_once(self):
        halves = [traffic(2000, "--first-connection", str(n)) for n in (0, 100000)]
        expected = rows_of(wm.extract(halves))
        self.assert_same(rows_of(wm.extract([io.BytesIO(half) for half in halves])), expected)

    # Whoever fills them may fill one after the other.
    def test_pipes_filled_in_turn(self):
        halves = [traffic(20000, "--first-connection", str(n)) for n in (0, 100000)]
        for options in {"order": "given"}, {}:
            expected = rows_of(wm.extract(halves, order="given"))
            pipes = [os.pipe() for _ in halves]

            def fill():
                for (_, end), half in zip(pipes, halves):
                    with open(end, "wb") as file:
                        file.write(half)

            filler = threading.Thread(target=fill)
            filler.start()
            with open(pipes[0][0], "rb") as first, open(pipes[1][0], "rb", buffering=0) as second:
                self.assert_same(rows_of(wm.extract([first, second], **options)), expected)
            filler.join()

    # One that is no capture is not read to its end.
    def test_the_second_of_two_goes_on(self):
        ours, theirs = os.pipe()
        with open(ours, "rb") as stays_open, open(theirs, "wb") as end:
            end.write(b"this is no capture, but the beginning of something else that comes later")
            end.flush()
            read, write = os.pipe()
            with open(write, "wb") as file:
                file.write(self.data)
            with open(read, "rb") as second:
                filler = threading.Timer(3, end.close)
                filler.start()
                self.assert_same(rows_of(wm.extract([stays_open, second])), self.expected)
                filler.join()

    def test_open_files_as_their_paths(self):
        paths = [self.folder / "late.pcap", self.folder / "early.pcap"]
        for path, later in zip(paths, (0, -100000)):
            path.write_bytes(moved(traffic(2000, "--first-connection", str(-later)), later))
        by_path = wm.extract(paths)
        with self.nothing_left(), open(paths[0], "rb") as late, open(paths[1], "rb", buffering=0) as early:
            by_file = wm.extract([late, early])
            self.assert_same(rows_of(by_file), rows_of(by_path))
            self.assertEqual(by_file.warnings, by_path.warnings)
            self.assertEqual((late.tell(), early.tell()), (0, 0))
        cut = self.folder / "cut.pcap"
        cut.write_bytes(self.data[:30000])
        with open(cut, "rb") as file:
            stream = wm.extract(file, stream=True)
        self.assertEqual(len(stream.flows()), len(wm.extract(cut)))  # a file that was closed
        self.assertEqual(stream.damage, wm.extract(cut).damage)
        with open(FIRST_LOOK, "rb") as file:
            file.read(24)
            with self.assertRaisesRegex(wm.CaptureError, "first-look.pcap: not a pcap"):
                wm.extract(file)  # what is left of it
        with open(FIRST_LOOK, "rb") as file:
            self.assertEqual(wm.info(file), wm.info(FIRST_LOOK))

    def test_no_input_is_overwritten(self):
        capture, link = self.folder / "trace.pcap", self.folder / "link.csv"
        packed, stays = gzip.compress(self.data), self.folder / "flows.json"
        link.symlink_to(capture)

        def opened():
            file = open(capture, "rb")
            file.peek(1)
            return file

        def begun():
            file = open(capture, "rb")
            file.read(100)
            return file

        for given, data in (opened, self.data), (begun, self.data), (lambda: gzip.open(capture), packed):
            capture.write_bytes(data)
            for options in (
                {"output": capture, "format": "csv"},
                {"output": link},
                {"output": [stays, link]},
                {"stats": link},
            ):
                with self.subTest(**options), self.nothing_left(), given() as file:
                    with self.assertRaisesRegex(wm.Error, rf"is an input too \({capture}\)"):
                        wm.extract([file], **options)
                self.assertEqual(capture.read_bytes(), data)
        script = "import sys, warpmeter as wm; wm.extract(sys.stdin.buffer, output=sys.argv[1])"
        with open(capture, "rb") as file:
            done = subprocess.run([sys.executable, "-c", script, link], stdin=file, capture_output=True, text=True)
        self.assertIn("is an input too (<stdin>)", done.stderr)
        self.assertEqual(capture.read_bytes(), packed)

    def test_an_end_as_of_iterators(self):
        for options in {}, {"stream": True}:
            with self.nothing_left(), self.assertRaisesRegex(RuntimeError, "StopIteration") as raised:
                list(wm.extract(Ends(self.data), output=self.folder / "flows.csv", **options))
            self.assertIsInstance(raised.exception.__cause__, StopIteration)

    def test_what_reading_raises(self):
        for given in b"", self.data[:20], self.data[:5000]:
            for options in {}, {"stream": True}:
                with self.subTest(bytes=len(given), **options), self.nothing_left():
                    with self.assertRaisesRegex(OutOfPaper, "no more"):
                        list(wm.extract(Breaks(given), output=self.folder / "flows.csv", **options))

    def test_what_is_not_bytes(self):
        with self.nothing_left():
            with open(SOURCE / "README.md") as text, self.assertRaisesRegex(TypeError, "README.md: gives text"):
                wm.extract(text)
            with self.assertRaisesRegex(TypeError, "^int: neither a path nor bytes"):
                wm.extract([self.data, 5])
            ours, theirs = os.pipe()
            os.set_blocking(ours, False)
            with open(ours, "rb", buffering=0) as file, open(theirs, "wb"):
                with self.assertRaises(BlockingIOError):
                    wm.extract(file)

    def test_what_cannot_be_read(self):
        with self.nothing_left():
            with self.assertRaises(wm.CaptureError) as raised:
                wm.extract(self.folder / "none.pcap")
            self.assertEqual(str(raised.exception), f"{self.folder}/none.pcap: No such file or directory")
            self.assertEqual(raised.exception.status, 1)
            for source, name in (b"this is no capture", "<bytes>"), (io.BytesIO(b"nor is this"), "<BytesIO>"):
                with self.assertRaisesRegex(wm.CaptureError, f"^{name}: not a pcap"):
                    wm.extract(source)
            with self.assertRaisesRegex(wm.CaptureError, "^<BytesIO>: the file is empty"):
                wm.extract(io.BytesIO())
            with self.assertRaisesRegex(wm.CaptureError, "not a pcap"):
                wm.extract(SOURCE / "README.md", stream=True).flows()

    # What is not a capture is not read to its end.
    def test_endless_nonsense(self):
        with self.nothing_left(), open("/dev/zero", "rb") as zeros:
            with self.assertRaises(wm.CaptureError):
                wm.extract(zeros)

    def test_wrong_options(self):
        with self.nothing_left():
            for options, message in (
                ({"fromat": "csv"}, "extract has no option --fromat"),
                ({"threads": "many"}, "--threads"),
                ({"filter": "tcp prot 443"}, "tcp prot 443"),
                ({"tmpdir": ""}, "tmpdir: is empty"),
                ({"filter": "tcp\0 and port 1"}, "^embedded null byte$"),
                ({"output": "flows.csv\0.csv"}, "^embedded null byte$"),
                ({"filter": True}, "^--filter '': there is no value"),
                ({"filter": "tcp prot " + 5000 * "x"}, "^.{150,400}$"),
                ({"memory": 5000 * "1"}, "^.{150,400}$"),
                ({"memory": 1e300}, "^--memory 10000.*: too large$"),
                ({"idle_timeout": 1.7e308}, "^--idle-timeout 17000.*: too large$"),
                ({"community_id_seed": 1}, "--community-id-seed goes with --community-id"),
            ):
                with self.subTest(**options):
                    with self.assertRaisesRegex(wm.UsageError, message) as raised:
                        wm.extract(io.BytesIO(self.data), **options)
                self.assertEqual(raised.exception.status, 2)
                self.assertIsInstance(raised.exception, ValueError)
                self.assertNotIn("\n", str(raised.exception))

    def test_names_that_would_end_early(self):
        named = f"{FIRST_LOOK}\0.pcap"
        for given in (
            lambda: wm.extract(named), lambda: wm.show(named), lambda: wm.info(named),
            lambda: wm.report(named, self.folder / "page.html"), lambda: wm.report(self.folder, "page\0.html"),
        ):  # fmt: skip
            with self.nothing_left(), self.assertRaisesRegex(ValueError, "embedded null byte"):
                given()

    def test_output_that_cannot_be_written(self):
        with self.nothing_left(), self.assertRaisesRegex(wm.Error, "cannot be written") as raised:
            wm.extract(FIRST_LOOK, output=self.folder / "none" / "flows.csv")
        self.assertNotIsInstance(raised.exception, wm.CaptureError)

    def test_damage_is_told(self):
        flows = wm.extract(self.data[:30000])
        self.assertEqual(flows.damage, [{"file": "<bytes>", "offset": 29810, "reason": "record cut short"}])
        self.assertEqual(len(flows.warnings), 1)
        self.assertRegex(flows.warnings[0], "^<bytes>: damaged at byte 29810: record cut short")
        self.assertEqual(flows.summary["exit status"], 3)
        one_is_missing = wm.extract([FIRST_LOOK, self.folder / "none.pcap"])
        self.assert_same(rows_of(one_is_missing), self.expected)
        self.assertRegex(one_is_missing.warnings[0], "none.pcap: No such file")

    # Programs that let SIGPIPE end them, as filters do, are not ended by a run that ends early.
    def test_broken_pipes_kill_nobody(self):
        before = signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        self.addCleanup(signal.signal, signal.SIGPIPE, before)
        with self.assertRaises(wm.CaptureError):
            wm.extract(io.BytesIO(bytes(10_000_000)))


if __name__ == "__main__":
    unittest.main()
