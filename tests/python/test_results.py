"""The Flow Records are those of the command: all columns, all values."""

import datetime
import os
import threading
import unittest

import numpy
import pandas
import pyarrow.parquet
import warpmeter as wm
from warpmeter._keywords import words_of
from support import CORPUS, DATA, FIRST_LOOK, Case, rows_of, rows_of_command, traffic


class Results(Case):
    def same(self, *sources, words=(), **options):
        flows = wm.extract(list(sources), **options)
        header, rows = rows_of_command(*words, *sources)
        names, values = rows_of(flows)
        # Behind the CSV's columns stand durations.
        self.assertEqual(names[: len(header)], header)
        self.assertTrue(all(name.endswith("duration_ns") for name in names[len(header) :]), names)
        self.assert_same((header, [row[: len(header)] for row in values]), (header, rows))
        self.assertEqual(len(flows), len(rows))
        self.assertEqual(flows.summary["rows"], len(rows))

    def test_captures_of_data(self):
        captures = sorted(DATA.glob("*.pcap"))
        self.assertTrue(captures)
        for capture in captures:
            self.same(capture)
            self.same(capture, words=["--biflow", "--key-vlan"], biflow=True, key_vlan=True)

    def test_captures_of_the_corpus(self):
        if not CORPUS.is_dir():
            self.skipTest(f"a corpus in {CORPUS} would run this")
        captures = [path for path in sorted(CORPUS.iterdir()) if os.path.getsize(path) < 10_000_000]
        for capture in captures:
            with self.subTest(capture.name):
                try:
                    self.same(capture)
                except wm.CaptureError as error:
                    with self.assertRaisesRegex(AssertionError, ".") as of_command:
                        rows_of_command(capture)
                    self.assertIn(str(error), str(of_command.exception))

    def test_options(self):
        many = self.folder / "many.pcap"
        many.write_bytes(traffic(20000, "--mean-packets", "8"))
        self.same(many, words=["--method", "five-tuple"], method="five-tuple")
        self.same(many, words=["--idle-timeout", "1500us"], idle_timeout=datetime.timedelta(microseconds=1500))
        self.same(many, words=["--idle-timeout", "0.001"], idle_timeout=1e-3, aggregate=False, gpu=None)
        self.same(many, words=["--idle-timeout", "1000ns"], idle_timeout=pandas.Timedelta("1000ns"))
        self.same(many, words=["--biflow", "--memory", "1G"], biflow=numpy.bool_(True), memory=1e9)
        self.same(many, words=["--idle-timeout", "1ms", "--aggregate"], idle_timeout="1ms", aggregate=True)
        self.same(many, FIRST_LOOK)
        header, rows = rows_of_command(many, "tcp", "port", "443")
        names, values = rows_of(wm.extract(many, "tcp port 443", threads=1))
        self.assert_same((header, [row[: len(header)] for row in values]), (header, rows))

    def test_values_as_words(self):
        for value, word in (
            (datetime.timedelta(microseconds=-1), b"-1000ns"),
            (pandas.Timedelta("999ns"), b"999ns"),
            (pandas.Timedelta(days=1, nanoseconds=1), b"86400000000001ns"),
            (numpy.timedelta64(1500, "ns"), b"1500ns"),
            (numpy.timedelta64(2, "h"), b"7200000000000ns"),
            (numpy.float64(1e-7), b"0.0000001"),
            (numpy.int32(5), b"5"),
            (1e9, b"1000000000"),
            (True, b""),
            (numpy.bool_(True), b""),
        ):
            self.assertEqual(words_of({"some_name": value}, wm.ExtractOptions), [("some-name", word)])
        for ports, word in ((5000, b"5000"), ([4789, numpy.int64(5000)], b"4789,5000"), ("+5000", b"+5000")):
            self.assertEqual(words_of({"vxlan_gpe_port": ports}, wm.ExtractOptions), [("vxlan-gpe-port", word)])
        self.assertEqual(words_of({"a": numpy.bool_(False), "b": None, "c": False}, wm.ExtractOptions), [])

    def test_no_flows(self):
        flows = wm.extract(FIRST_LOOK, filter="port 1 and port 2")
        self.assertEqual(len(flows), 0)
        self.assertEqual(rows_of(flows)[1], [])

    def test_outputs_of_options(self):
        outputs = [self.folder / "flows.csv", self.folder / "flows.json"]
        flows = wm.extract(FIRST_LOOK, output=outputs)
        self.assertEqual(len(outputs[0].read_text().splitlines()), 1 + len(flows))
        self.assertEqual(len(outputs[1].read_text().splitlines()), len(flows))

    def test_parquet_beside_that_of_pyarrow(self):
        if not self.has_parquet():
            self.skipTest("a build with Parquet would run this")
        path = self.folder / "flows.parquet"
        flows = wm.extract(FIRST_LOOK, output=path, columns="first_packet")
        self.assert_same(rows_of(pyarrow.parquet.read_table(path)), rows_of(flows))

    def test_columns_that_are_asked_for(self):
        names = ["first_packet", "reverse_first_packet", "handshake_ns"]
        flows = pyarrow.table(wm.extract(FIRST_LOOK, biflow=True, columns=names))
        self.assertEqual(flows.column_names[-3:], names)
        self.assertEqual(flows.schema.field("first_packet").type, pyarrow.int64())
        # The connection that the first packet is of began before the capture, and its receiver is the initiator.
        self.assertIn(1, flows["first_packet"].to_pylist() + flows["reverse_first_packet"].to_pylist())
        handshakes = [ns for ns in flows["handshake_ns"].to_pylist() if ns is not None]
        self.assertGreater(len(handshakes), 0)
        with self.assertRaisesRegex(wm.UsageError, "handshake_ns goes with --biflow"):
            wm.extract(FIRST_LOOK, columns="handshake_ns")

    def test_two_threads_at_once(self):
        capture = traffic(50000)
        expected, got = rows_of(wm.extract(capture)), []
        at_once = [threading.Thread(target=lambda: got.append(rows_of(wm.extract(capture)))) for _ in range(2)]
        for thread in at_once:
            thread.start()
        for thread in at_once:
            thread.join()
        self.assertEqual(len(got), 2)
        for one in got:
            self.assert_same(one, expected)

    def test_other_threads_go_on(self):
        capture, counted, done = traffic(300000), [0], threading.Event()

        def count():
            while not done.wait(0.001):
                counted[0] += 1

        thread = threading.Thread(target=count)
        thread.start()
        before = counted[0]
        wm.extract(capture, threads=1)
        self.assertGreater(counted[0] - before, 5)
        done.set()
        thread.join()


if __name__ == "__main__":
    unittest.main()
