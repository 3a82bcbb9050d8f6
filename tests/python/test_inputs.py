"""What can be metered, and what is raised; whatever ends a run, nothing is left behind."""

import gzip
import io
import mmap
import os
import signal
import socket
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


class Inputs(Case):
    def setUp(self):
        super().setUp()
        self.expected = rows_of(wm.extract(FIRST_LOOK))
        self.data = FIRST_LOOK.read_bytes()

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
                ({"community_id_seed": 1}, "--community-id-seed goes with --community-id"),
            ):
                with self.subTest(**options):
                    with self.assertRaisesRegex(wm.UsageError, message) as raised:
                        wm.extract(io.BytesIO(self.data), **options)
                self.assertEqual(raised.exception.status, 2)
                self.assertIsInstance(raised.exception, ValueError)
                self.assertNotIn("\n", str(raised.exception))

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
