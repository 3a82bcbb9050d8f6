"""packets(): what the command writes, as Arrow columns, as a capture, or both; and what is raised."""

import io
import os
import subprocess
import unittest

import pyarrow
import pyarrow.parquet
import warpmeter as wm
from support import DATA, FIRST_LOOK, PROGRAM, Case, rows_of, rows_of_command, traffic


class Packets(Case):
    def setUp(self):
        super().setUp()
        self.trace = self.folder / "t.pcap"
        self.trace.write_bytes(traffic(20000, "--mean-packets", "60", "--flows", "150", "--vlan", "0.1"))

    def command(self, *words):
        """The bytes that the command writes to such an output."""
        output = self.folder / "of_command.pcapng"
        subprocess.run([PROGRAM, "packets", "-q", *map(str, words), "-o", output], check=True, capture_output=True)
        return output.read_bytes()

    def same_rows(self, given, words, source=None, **options):
        expected = rows_of_command(*words, source or self.trace, command="packets")
        with self.nothing_left():
            got = wm.packets(given, **options)
        self.assert_same(rows_of(got), expected)
        self.assertEqual(len(got), len(expected[1]))
        self.assertIn("rows of", repr(got))
        return got

    def test_tables(self):
        for capture in sorted(DATA.glob("*.pcap")):
            with self.subTest(capture.name):
                self.same_rows(capture, [], source=capture)
        cases = [
            ([], {}),
            (["--key-vlan", "-f", "vlan_id > 0"], {"key_vlan": True, "filter": "vlan_id > 0"}),
            (["-f", "retransmitted_segments > 0"], {"filter": "retransmitted_segments > 0"}),
            (["-w", "retransmitted,duplicate"], {"verdict": ["retransmitted", "duplicate"]}),
            (["--biflow", "-f", "unanswered"], {"biflow": True, "filter": "unanswered"}),
            (["--method", "five-tuple", "--block", "500"], {"method": "five-tuple", "block": 500}),
            (["--threads", "3", "--idle-timeout", "5ms"], {"threads": 3, "idle_timeout": "5ms"}),
        ]
        for words, options in cases:
            with self.subTest(words):
                got = self.same_rows(self.trace, words, **options)
                self.assertEqual(got.summary["packets_written"], len(got))
                self.assertEqual(sum(got.summary["verdicts"].values()), len(got))

    def test_are_a_table_as_flows_are(self):
        for options in {}, {"features": True, "biflow": True}:
            with self.subTest(options):
                got = wm.packets(self.trace, **options)
                table = pyarrow.table(got)
                self.assertEqual(got.shape, (table.num_rows, table.num_columns))
                self.assertEqual(got.schema, {field.name: str(field.type) for field in table.schema})
                for name in got.columns:
                    column = table[name]
                    if pyarrow.types.is_timestamp(column.type):
                        column = column.cast("int64")
                    self.assertEqual(list(got[name]), column.to_pylist(), name)
                self.assertIn(f"{table.num_rows - 10} more rows", got._repr_html_())
                got.write_parquet(self.folder / "t.parquet")
                self.assertEqual(pyarrow.parquet.read_table(self.folder / "t.parquet").num_rows, len(got))
                got.head(3).write_csv(self.folder / "t.csv")
                self.assertEqual((self.folder / "t.csv").read_text().count("\n"), 4)

    def test_capture_filter_and_what_is_read(self):
        expected = rows_of_command(self.trace, "tcp", "port", "443", command="packets")
        data = self.trace.read_bytes()
        for source in self.trace, data, io.BytesIO(data), [self.trace]:
            with self.subTest(type(source).__name__), self.nothing_left():
                self.assert_same(rows_of(wm.packets(source, capture_filter="tcp port 443")), expected)
        subprocess.run([PROGRAM, "decode", "-q", "-o", self.folder / "set", self.trace], check=True)
        self.assert_same(rows_of(wm.packets(self.folder / "set")), rows_of_command(self.trace, command="packets"))

    def test_captures(self):
        for words, options in [([], {}), (["-f", "missing_bytes > 0"], {"filter": "missing_bytes > 0"}),
                               (["-w", "duplicate"], {"verdict": "duplicate"})]:
            with self.subTest(words):
                expected = self.command(self.trace, *words)
                alone, both = self.folder / "alone.pcapng", self.folder / "both.pcapng"
                written = wm.packets(self.trace, output=alone, **options)
                self.assertIsInstance(written, wm.Packets)
                self.assertEqual((written.output, written.damage, written.warnings), (str(alone), [], []))
                self.assertGreater(written.summary["packets_written"], 0)
                self.assertEqual(alone.read_bytes(), expected)
                with_rows = wm.packets(self.trace, output=both, table=True, **options)
                self.assertEqual(both.read_bytes(), expected)
                self.assert_same(rows_of(with_rows), rows_of_command(self.trace, *words, command="packets"))
                self.assertEqual(with_rows.summary["packets_written"], written.summary["packets_written"])
                alone.unlink(), both.unlink()

    def test_headers_only(self):
        cut = self.folder / "cut.pcapng"
        wm.packets(self.trace, output=cut, headers_only=True)
        self.assertEqual(cut.read_bytes(), self.command(self.trace, "--headers-only"))
        self.assert_same(rows_of(wm.extract(cut)), rows_of(wm.extract(self.trace)))
        self.raises(wm.UsageError, "a table has no payload", self.trace, headers_only=True)

    def test_packets_that_are_not_metered_are_in_a_capture_of_all(self):
        mixed = DATA / "first-look.pcap"
        data = bytearray(mixed.read_bytes())
        data[24 + 16 + 12 : 24 + 16 + 14] = b"\x08\x06"  # the first frame is ARP
        changed = self.folder / "arp.pcap"
        changed.write_bytes(data)
        output = self.folder / "x.pcapng"
        rows = wm.packets(changed, output=output, table=True)
        self.assertEqual(output.read_bytes(), self.command(changed))
        self.assertEqual(rows.summary["packets_written"], rows.summary["packets_read"])
        self.assertEqual(len(rows), rows.summary["packets_read"] - 1)

    def test_table_in_a_file(self):
        output, again = self.folder / "t.csv", self.folder / "again.csv"
        rows = wm.packets(self.trace, "packets > 9", output=output, table=True)
        subprocess.run([PROGRAM, "packets", "-q", self.trace, "-f", "packets > 9", "-o", again], check=True)
        self.assertEqual(output.read_bytes(), again.read_bytes())
        self.assertEqual(len(rows), len(again.read_text().splitlines()) - 1)

    def test_features(self):
        words = ["--biflow", "--features", "--first-packets", "9", "--idle-after", "1ms"]
        header, rows = rows_of_command(*words, self.trace, command="packets")
        with self.nothing_left():
            got = wm.packets(self.trace, biflow=True, features=True, first_packets=9, idle_after=0.001)
        table = pyarrow.table(got)
        self.assertEqual(table.column_names, header)
        self.assertEqual(got.summary["flows_written"], len(rows))
        self.assertIn("rows of features", repr(got))
        for name, column, cells in zip(header, table.columns, zip(*rows)):
            if pyarrow.types.is_timestamp(column.type):
                column = column.cast("int64")
            for value, cell in zip(column.to_pylist(), cells, strict=True):
                if isinstance(value, list):
                    self.assertEqual(";".join(map(str, value)), cell, name)
                elif isinstance(value, float):
                    self.assertEqual(value, float(cell), name)
                else:
                    self.assertEqual("" if value is None else str(value), cell, name)
        self.raises(wm.UsageError, "features makes a table", self.trace, features=True, output=self.folder / "x.pcap")
        self.raises(wm.UsageError, "not with --features", self.trace, features=True, flows=self.trace)
        self.raises(wm.UsageError, "flows are metered for it", self.trace, features=True, flows=wm.extract(self.trace))

    def test_flows(self):
        file = self.folder / "flows.csv"
        worst = wm.show(wm.extract(self.trace), "retransmitted_segments > 0", output=file)
        expected = self.command(self.trace, "--flows", file)
        given = {"file": file, "bytes": file.read_bytes(), "Arrow": worst, "table": pyarrow.table(worst),
                 "stream": lambda: wm.show(file, stream=True)}
        for name, flows in given.items():
            with self.subTest(name):
                output = self.folder / "x.pcapng"
                with self.nothing_left():
                    written = wm.packets(self.trace, flows=flows() if callable(flows) else flows, output=output)
                    self.assertEqual(output.read_bytes(), expected)
                    output.unlink()
                self.assertEqual(written.summary["flows_selected"], len(worst))
        both = wm.packets(self.trace, "dst_port = 443", flows=worst)
        self.assert_same(rows_of(both),
                         rows_of_command(self.trace, "--flows", file, "-f", "dst_port = 443", command="packets"))
        self.assertGreater(len(both), 0)

    def test_stream(self):
        expected = rows_of_command(self.trace, command="packets")
        data = self.trace.read_bytes()
        for source in lambda: self.trace, lambda: data, lambda: io.BytesIO(data):
            with self.subTest(type(source()).__name__), self.nothing_left():
                with wm.packets(source(), stream=True) as run:
                    count = sum(len(batch) for batch in run)
                    self.assertEqual(run.summary["packets_written"], count)
                self.assertEqual(count, len(expected[1]))
                self.assert_same(rows_of(wm.packets(source(), stream=True)), expected)
        with self.nothing_left():
            run = wm.packets(self.trace, stream=True, output=self.folder / "no.pcapng")
            next(run)
            run.close()
        self.assertFalse((self.folder / "no.pcapng").exists())

    def raises(self, kind, words, *given, **options):
        with self.nothing_left(), self.assertRaisesRegex(kind, words) as caught:
            wm.packets(*given, **options)
        return caught.exception

    def test_what_is_raised(self):
        self.raises(wm.UsageError, "no column", self.trace, "pakets > 1")
        self.raises(wm.UsageError, "there are no inputs", [])
        self.raises(wm.UsageError, "lost", self.trace, verdict="lost")
        self.raises(wm.UsageError, "which form", self.trace, output=self.folder / "x.ipfix")
        self.raises(wm.UsageError, "without an output", self.trace, table=False)
        self.raises(wm.UsageError, "biflow: not with --flows", self.trace, flows=FIRST_LOOK, biflow=True)
        self.raises(wm.UsageError, "read twice with -f", io.BytesIO(self.trace.read_bytes()), "packets > 1")
        self.raises(wm.UsageError, "format goes with --output", self.trace, format="csv")
        self.raises(wm.CaptureError, "absent.pcap", self.folder / "absent.pcap")
        self.raises(wm.CaptureError, "first-look.pcap", self.trace, flows=FIRST_LOOK)
        self.raises(wm.Error, "t.pcap", self.trace, output=self.trace)
        self.raises(TypeError, "", self.trace, output=5)
        table = pyarrow.table({"a": [1, 2]})
        self.raises(wm.CaptureError, "pyarrow|Table|column", self.trace, flows=table)
        self.assertEqual(os.path.getsize(self.trace), len(self.trace.read_bytes()))


if __name__ == "__main__":
    unittest.main()
