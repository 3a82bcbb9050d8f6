"""show(): what the command shows, from files and from Arrow columns; and what is raised."""

import os
import threading
import time
import unittest

import duckdb
import pandas
import polars
import pyarrow
import warpmeter as wm
from support import DATA, FIRST_LOOK, Case, rows_of, rows_of_command, traffic


class Show(Case):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "flows.csv"
        self.flows = wm.extract(FIRST_LOOK, biflow=True, key_vlan=True, output=self.file)

    def same(self, given, words=(), source=None, **options):
        """As the command shows the file."""
        expected = rows_of_command(*words, source or self.file, command="show")
        shown = wm.show(given, **options)
        names, values = rows_of(shown)
        width = len(expected[0])
        # Behind the CSV's columns of whole Flow Records stand durations.
        self.assertTrue(all(name.endswith("duration_ns") for name in names[width:]), names)
        self.assert_same((names[:width], [row[:width] for row in values]), expected)
        self.assertEqual(len(shown), len(expected[1]))
        self.assertEqual(shown.summary["rows"], len(expected[1]))
        return shown

    def test_captures_of_data(self):
        for capture in sorted(DATA.glob("*.pcap")):
            for options in {}, {"biflow": True, "key_vlan": True}:
                file = self.folder / "of_capture.csv"
                flows = wm.extract(capture, output=file, **options)
                with self.subTest(capture.name, **options), self.nothing_left():
                    self.same(file, source=file)
                    self.same(flows, source=file)
                    self.same(file, ["--aggregate"], source=file, aggregate=True)
                    self.same(flows, ["--sum", "addr"], source=file, sum="addr")

    def test_options(self):
        two_columns = "host 10.0.0.0/8 and packets > data_segments"
        of_flows = ["bytes", "p95_duration", "share_bytes", "distinct_dst_addr"]
        names = ["source", "destination", "duration", "retransmission_share", "reverse_packets", "end_reason"]
        cases = [
            (["-f", "tcp and bytes > 1000"], {"filter": "tcp and bytes > 1000"}),
            (["--top", "5", "--sort", "retransmitted_segments"], {"top": 5, "by": "retransmitted_segments"}),
            (["--top", "5 by bytes:asc"], {"top": "5 by bytes:asc"}),
            (["--sort", "duration"], {"sort": "duration"}),
            (["--sum", "src_addr/24,dst_port", "--top", "7"], {"sum": ["src_addr/24", "dst_port"], "top": 7}),
            (["--sum", "start/1s,version"], {"sum": "start/1s,version"}),
            (["--sum", "src_addr", "--having", "flows > 1"], {"sum": "src_addr", "having": "flows > 1"}),
            (["-f", two_columns], {"filter": two_columns}),
            (["--sum", "time/10ms,tcp_flags", "--columns", ",".join(of_flows)],
             {"sum": ["time/10ms", "tcp_flags"], "columns": of_flows}),
            (["--aggregate", "--having", "packets > 4"], {"aggregate": True, "having": "packets > 4"}),
            (["--columns", ",".join(names)], {"columns": names}),
            (["--times", "us", "--columns", "start_ns,duration,connection_ns"],
             {"times": "us", "columns": "start_ns,duration,connection_ns"}),
            (["--sum", "end/1m", "--columns", "bytes,retransmission_share"],
             {"sum": "end/1m", "columns": ["bytes", "retransmission_share"]}),
            (["-f", "port 1 and port 2"], {"filter": "port 1 and port 2"}),
            (["-f", "port 1 and port 2", "--sum", "protocol"], {"filter": "port 1 and port 2", "sum": "protocol"}),
        ]  # fmt: skip
        for words, options in cases:
            for given in self.file, self.flows:
                with self.subTest(words, given=type(given)), self.nothing_left():
                    self.same(given, words, **options)

    def test_what_is_shown(self):
        for name in "other.csv", "other.json.zst", "other.ipfix", "other.parquet":
            try:
                wm.show(self.file, output=self.folder / name)
            except wm.UsageError:
                continue  # a build without it
            with self.subTest(name), self.nothing_left():
                self.same(self.folder / name)
                self.same(os.fspath(self.folder / name), ["-f", "tcp"], filter="tcp")
        with self.nothing_left():
            self.same(self.file.read_bytes())
            self.same([self.file.read_bytes()])
            both = wm.show([self.file, self.file.read_bytes()])
            self.assertEqual(len(both), 2 * len(self.flows))
            self.assertEqual(both.summary["flows read"], 2 * len(self.flows))

    def test_columns_of_others(self):
        table = columns = pyarrow.table(self.flows)
        of_duckdb = pyarrow.table(duckdb.sql("SELECT * FROM columns"))
        self.same(table)
        self.same(polars.DataFrame(self.flows), ["--top", "9"], top=9)
        self.same(of_duckdb)
        self.same(wm.show(self.flows, "tcp"), ["-f", "tcp"])
        self.same(wm.extract(FIRST_LOOK, biflow=True, key_vlan=True, stream=True))
        self.same(table.set_column(0, "src_addr", table.column("src_addr").cast("large_string")))
        self.assert_same(rows_of(wm.show(table.slice(7, 30))), rows_of(table.slice(7, 30)))
        totals = wm.show(pandas.DataFrame.from_arrow(self.flows)).summary["totals"]
        self.assertEqual(totals, wm.show(table).summary["totals"])

    def test_summary(self):
        shown = wm.show(self.flows, "tcp")
        columns = pyarrow.table(shown).to_pydict()
        self.assertEqual(shown.summary["flows read"], len(self.flows))
        self.assertEqual(shown.summary["flows matching"], len(shown))
        packets = sum(columns["packets"]) + sum(filter(None, columns["reverse_packets"]))
        self.assertEqual(shown.summary["totals"]["packets"], packets)
        self.assertEqual(shown.summary["exit status"], 0)
        self.assertEqual((shown.damage, shown.warnings), ([], []))
        self.assertEqual(repr(shown), f"<warpmeter.Flows: {len(shown)} rows of {len(shown)} flows>")

    def test_types(self):
        sums = pyarrow.table(wm.show(self.flows, sum="src_addr,start/60s")).schema
        self.assertEqual(sums.field("start/60s").type, pyarrow.timestamp("ns", "UTC"))
        self.assertEqual(sums.field("retransmission_share").type, pyarrow.float64())
        self.assertEqual(sums.field("flows").type, pyarrow.int64())
        whole = pyarrow.table(self.flows).schema
        chosen = pyarrow.table(wm.show(self.flows, columns=whole.names[:20])).schema
        for name in chosen.names:
            self.assertEqual(chosen.field(name).type, whole.field(name).type, name)

    def test_stream(self):
        many = wm.extract(traffic(100000, "--mean-packets", "2"))
        expected = rows_of(many)
        with self.nothing_left(), wm.show(many, stream=True) as stream:
            self.assertGreater(len(pyarrow.schema(stream).names), 20)
            batches = [pyarrow.record_batch(batch) for batch in stream]
            self.assertGreater(len(batches), 1)
            self.assert_same(rows_of(pyarrow.Table.from_batches(batches)), expected)
            self.assertEqual(stream.summary["rows"], len(many))
        with self.nothing_left():
            self.assert_same(rows_of(wm.show(many, stream=True)), expected)
            self.assert_same(rows_of(wm.show(self.file.read_bytes(), stream=True)), rows_of(self.flows))
        with self.nothing_left():
            wm.show(many, stream=True, output=self.folder / "x.csv").close()
            with wm.show(many, stream=True, output=self.folder / "x.csv") as stream:
                next(stream)
            next(wm.show(many, columns="bytes", stream=True))  # forgotten
            reader = pyarrow.RecordBatchReader.from_stream(wm.show(many, stream=True))
            reader.read_next_batch()
            del reader

    def test_a_stream_of_a_stream(self):
        data = traffic(50000)
        with self.nothing_left():
            flows = wm.extract(data, stream=True)
            shown = wm.show(flows, "tcp")
            self.assertEqual(flows.summary["rows"], shown.summary["flows read"])
        with self.nothing_left():  # which is not read to its end
            wm.show(wm.extract(data, stream=True), stream=True).close()

    def test_what_is_wrong(self):
        with self.nothing_left():
            for options, message in (
                ({"filter": "pakets > 1"}, "pakets"),
                ({"biflow": True}, "show has no option --biflow"),
                ({"top": 0}, "--top: at least 1"),
                ({"by": "bytes"}, "by: goes with top"),
                ({"having": "flows > 1"}, "--having goes with --sum or --aggregate"),
                ({"columns": ["bites"]}, "--columns: 'bites' is no column"),
                ({"columns": ["bytes", "bytes"]}, "--columns: 'bytes' is there twice"),
                ({"filter": True}, "^--filter '': there is no value"),
                ({"filter": "bytes > " + 5000 * "9"}, "^.{150,500}$"),
                ({"aggregate": "yes"}, "--aggregate 'yes': takes no value"),
            ):
                for given in self.file, self.flows:
                    with self.subTest(**options), self.assertRaisesRegex(wm.UsageError, message) as raised:
                        wm.show(given, **options)
                    self.assertNotIn("\n", str(raised.exception))
            with self.assertRaisesRegex(wm.CaptureError, "^/nowhere/x.csv: cannot be read: No such file"):
                wm.show("/nowhere/x.csv")
            with self.assertRaisesRegex(wm.CaptureError, "^<bytes>: no Flow Records"):
                wm.show(b"nothing of that kind")
            with self.assertRaisesRegex(wm.CaptureError, "a capture, which warpmeter extract reads"):
                wm.show(FIRST_LOOK)
            with self.assertRaisesRegex(wm.CaptureError, "^<Flows>: no Flow Records: there is no column src_addr"):
                wm.show(wm.show(self.flows, sum="dst_port"))
            with self.assertRaisesRegex(TypeError, "^int: neither a path nor bytes, nor Flow Records"):
                wm.show([self.file, 5])
            with self.assertRaisesRegex(TypeError, "^Flows: Arrow columns are given alone, not among files$"):
                wm.show([self.file, self.flows])

    def test_names_are_printable(self):
        for function in wm.extract, wm.show, lambda name: wm.report(name, self.folder / "page.html"):
            with self.assertRaises(wm.CaptureError) as raised:
                function(self.folder / "a\nb\x1b]0;c")
            self.assertIn("/a\\nb\\x1b]0;c: ", str(raised.exception))

    def test_damage_is_told(self):
        shown = wm.show([self.file, self.file.read_bytes()[:-5], self.folder / "none.csv"])
        self.assertEqual(len(shown), 2 * len(self.flows) - 1)
        self.assertEqual([place["file"] for place in shown.damage], ["<bytes>"])
        self.assertEqual(shown.summary["exit status"], 3)
        self.assertEqual(len(shown.warnings), 2)
        self.assertRegex(shown.warnings[0], "^<bytes>: damaged at byte [0-9]+: .*; what came before is in the output$")
        self.assertRegex(shown.warnings[1], "none.csv: cannot be read: No such file")

    def test_what_was_named_again_is_told(self):
        shown = wm.show([self.file, str(self.file)])
        self.assertEqual(len(shown), len(self.flows))
        self.assertEqual(shown.warnings, ["1 file was named again, and read once"])
        page = wm.report([self.file, str(self.file)], self.folder / "page.html")
        self.assertEqual(page.warnings, shown.warnings)

    def test_columns_of_nothing_are_not_known(self):
        table = pyarrow.table(wm.extract(FIRST_LOOK))
        at = table.column_names.index("missing_bytes")
        empty = table.set_column(at, "missing_bytes", pyarrow.nulls(len(table)))
        self.assertEqual(empty.schema.field(at).type, pyarrow.null())
        self.assertEqual(set(pyarrow.table(wm.show(empty))["missing_bytes"].to_pylist()), {None})
        self.assertEqual(len(wm.show(polars.DataFrame(empty), "tcp")), len(wm.show(table, "tcp")))

    def test_columns_by_category(self):
        table = pyarrow.table(self.flows)
        frame = polars.DataFrame(self.flows).with_columns(polars.col("src_addr", "dst_addr").cast(polars.Categorical))
        of_pandas = table.to_pandas().astype({"src_addr": "category", "dst_port": "category"})
        names = ["src_addr", "dst_addr", "packets"]
        encoded = table
        for name in names:
            encoded = encoded.set_column(
                encoded.column_names.index(name), name, encoded[name].dictionary_encode()
            )  # fmt: skip
        for given in frame, frame[5:], encoded, encoded.slice(5), of_pandas:
            expected = rows_of(wm.show(self.flows if len(given) == len(table) else table.slice(5)))
            with self.nothing_left():
                self.assert_same(rows_of(wm.show(given)), expected)

    def test_two_threads_at_once(self):
        """They extract and show, and neither knows of the other."""
        data = traffic(50000)
        flows = wm.extract(data)
        expected = {"extract": rows_of(flows), "show": rows_of(wm.show(flows, sort="bytes"))}
        got = []

        def work(first):
            for what in first, "show", "extract":
                shown = wm.extract(data, threads=2) if what == "extract" else wm.show(flows, sort="bytes")
                got.append((what, rows_of(shown)))

        at_once = [threading.Thread(target=work, args=[what]) for what in ("extract", "show")]
        with self.nothing_left():
            for thread in at_once:
                thread.start()
            for thread in at_once:
                thread.join()
        self.assertEqual(len(got), 6)
        for what, rows in got:
            self.assert_same(rows, expected[what])

    def test_other_threads_go_on(self):
        flows, counted, done = wm.extract(traffic(300000, "--mean-packets", "2")), [0], threading.Event()

        def count():
            while not done.wait(0.001):
                counted[0] += 1

        thread = threading.Thread(target=count)
        thread.start()
        before, began = counted[0], time.monotonic()
        wm.show(flows, sort="bytes")
        took = time.monotonic() - began
        self.assertGreater(counted[0] - before, took * 50)
        done.set()
        thread.join()


if __name__ == "__main__":
    unittest.main()
