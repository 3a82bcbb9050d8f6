"""Flows as tables: columns, rows, parts, files, frames of others, and what a notebook shows."""

import builtins
import csv
import os
import stat
import sys
import unittest
from unittest import mock

import numpy
import pandas
import polars
import pyarrow
import pyarrow.parquet
import warpmeter as wm
from support import FIRST_LOOK, PROGRAM, Case, cell_of, rows_of, rows_of_command, traffic


def without(*names):
    """As where these packages are not installed."""
    real = builtins.__import__

    def load(name, *rest):
        if name.partition(".")[0] in names:
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)
        return real(name, *rest)

    hidden = {name: None for name in sys.modules if name.partition(".")[0] in names}
    return mock.patch.dict(sys.modules, {**hidden, **dict.fromkeys(names)})


class FlowsAsTables(Case):
    @classmethod
    def setUpClass(cls):
        cls.flows = wm.extract(FIRST_LOOK, biflow=True, policy="stock", key_vlan=True)
        cls.table = pyarrow.table(cls.flows)
        cls.many = wm.extract(traffic(9000, "--mean-packets", "2"))  # several batches

    def test_annex_of_first_packets(self):
        flows = wm.extract(FIRST_LOOK, biflow=True, annex="all")
        rows = pyarrow.table(flows).to_pylist()
        header, whole = rows_of_command("--biflow", "--annex", "all", FIRST_LOOK)
        names = [name for name in header if "_mac" in name or "ttl" in name or "syn_" in name and "count" not in name]
        self.assertEqual(len(names), 2 * 9)
        for row, texts in zip(rows, whole, strict=True):
            wanted = dict(zip(header, texts))
            for name in names:
                self.assertEqual("" if row[name] is None else str(row[name]), str(wanted[name] or ""))
        self.assertEqual(wm.extract(FIRST_LOOK, annex=["ttl", "src_mac"]).columns[-2:], ["src_mac", "ttl"])
        shown = wm.show(flows, "ttl < 60", sort="ttl:asc")
        self.assertEqual(len(shown), sum(row["ttl"] < 60 for row in rows))

    def test_chosen_columns(self):
        names = ["dst_port", "src_addr", "duration", "retransmission_share", "first_packet"]
        flows = wm.extract(FIRST_LOOK, columns=names)
        self.assertEqual(flows.columns, ["dst_port", "src_addr", "duration_ns", "retransmission_share", "first_packet"])
        shown = wm.show(wm.extract(FIRST_LOOK, columns="first_packet"), columns=names)
        self.assertTrue(pyarrow.table(flows).equals(pyarrow.table(shown)))
        with wm.extract(FIRST_LOOK, columns=names, stream=True) as stream:
            self.assertEqual(sum(len(batch) for batch in stream), len(flows))
        with self.assertRaisesRegex(wm.UsageError, "'pakets' is no column"):
            wm.extract(FIRST_LOOK, columns=["bytes", "pakets"])

    def test_other_names(self):
        names = ["ts", "id.orig_h", "duration", "retransmitted_segments", "conn_state"]
        table = pyarrow.table(wm.extract(FIRST_LOOK, biflow=True, names="zeek", columns=names))
        own = pyarrow.table(wm.extract(FIRST_LOOK, biflow=True))
        self.assertEqual(
            table.column_names, ["ts", "id.orig_h", "duration", "warpmeter_retransmitted_segments", "conn_state"]
        )
        self.assertEqual(table["id.orig_h"].to_pylist(), own["src_addr"].to_pylist())
        self.assertEqual([str(field.type) for field in table.schema][:3:2], ["timestamp[ns, tz=UTC]", "duration[ns]"])
        flows = wm.extract(FIRST_LOOK, biflow=True, names="zeek", columns=names)
        self.assertEqual([flows[name].type for name in ("ts", "duration")], ["timestamp[ns, tz=UTC]", "duration[ns]"])
        self.assertEqual(numpy.asarray(flows["duration"]).astype("int64").tolist(), flows["duration"].to_list())
        self.assertIn("conn_state", flows._repr_html_())
        flows.write_csv(self.folder / "zeek.csv")
        flows.write_parquet(self.folder / "zeek.parquet")
        self.assertEqual(pyarrow.parquet.read_table(self.folder / "zeek.parquet")["ts"], table["ts"])
        self.assertIn("ts,id.orig_h,duration,", (self.folder / "zeek.csv").read_text())
        short = pyarrow.table(wm.extract(FIRST_LOOK, biflow=True, names="short", times="us"))
        self.assertEqual(str(short.schema.field("start").type), "timestamp[us, tz=UTC]")
        start, end, duration = (short[name].cast("int64").to_pylist() for name in ("start", "end", "duration"))
        self.assertEqual(duration, [b - a for a, b in zip(start, end)])
        shown = pyarrow.table(wm.show(wm.extract(FIRST_LOOK, biflow=True), names="short", times="us"))
        some = ["start", "duration", "bytes"]
        self.assertTrue(shown.select(some).equals(short.select(some)))

    def test_columns_and_schema(self):
        flows, table = self.flows, self.table
        self.assertEqual(flows.columns, table.column_names)
        self.assertEqual(flows.schema, {field.name: str(field.type) for field in table.schema})
        self.assertEqual(flows.shape, (table.num_rows, table.num_columns))
        in_us = wm.extract(FIRST_LOOK, times="us")
        self.assertEqual(in_us.schema, {field.name: str(field.type) for field in pyarrow.schema(in_us)})
        sums = wm.show(flows, sum="src_addr")
        self.assertEqual(sums.schema, {field.name: str(field.type) for field in pyarrow.schema(sums)})

    def test_columns(self):
        for flows in self.flows, self.many, wm.show(self.flows, sum="protocol"):
            names, rows = rows_of(flows)
            for place, name in enumerate(names):
                column = flows[name]
                self.assertEqual([cell_of(value) for value in column], [row[place] for row in rows])
                self.assertEqual((len(column), column.name, column.type), (len(rows), name, flows.schema[name]))
        column = self.flows["reverse_packets"]
        expected = self.table["reverse_packets"]
        self.assertTrue(pyarrow.chunked_array(column).equals(expected))
        self.assertEqual(polars.Series(column).to_list(), expected.to_pylist())
        self.assertEqual(column[1:3], expected.to_pylist()[1:3])
        self.assertIn(None, column.to_list())
        self.assertEqual(numpy.nansum(column), sum(v for v in expected.to_pylist() if v is not None))
        starts = numpy.asarray(self.flows["start_ns"])
        self.assertEqual(starts.dtype, "datetime64[ns]")
        self.assertEqual(starts.astype("int64").tolist(), self.table["start_ns"].cast("int64").to_pylist())
        self.assertEqual(numpy.asarray(self.flows["packets"]).dtype, self.flows.schema["packets"])
        self.assertRegex(repr(self.flows["protocol"]), "^<warpmeter.Column protocol: uint8, [0-9]+ values: [0-9]+, ")

    def test_parts(self):
        for flows in self.flows, self.many:
            table = pyarrow.table(flows)
            n, some = len(flows), "reverse_packets" if flows is self.flows else "packets"
            self.assertTrue(pyarrow.table(flows.head()).equals(table.slice(0, 5)))
            for first, end in (0, 3), (2, 7), (n - 3, n), (-2, None), (5, 5), (7, 2), (1, n - 1), (0, n + 9):
                part = flows[first:end]
                rows = len(range(n)[first:end])
                self.assertEqual((len(part), len(pyarrow.table(part))), (rows, rows))
                at = range(n)[first:end].start
                expected = table.slice(at, rows)
                self.assertTrue(pyarrow.table(part).equals(expected), (first, end))
                self.assertEqual(part[some].to_list(), expected[some].to_pylist())
            chosen = flows[["bytes", "src_addr"]]
            self.assertTrue(pyarrow.table(chosen).equals(table.select(["bytes", "src_addr"])))
            self.assertTrue(pyarrow.table(chosen[1:3]).equals(table.select(["bytes", "src_addr"]).slice(1, 2)))
            self.assertEqual(flows[-1]["packets"], table["packets"][-1].as_py())
        # A part is Flow Records, too: also where its nulls are not counted yet.
        self.assert_same(rows_of(wm.show(self.flows[3:9], biflow=None)), rows_of(self.flows[3:9]))
        self.assertEqual(polars.DataFrame(self.flows[4:8])["labels"].to_list(), self.table["labels"].to_pylist()[4:8])

    def test_what_is_not_there(self):
        for key, error, said in (
            ("byte", KeyError, "byte: there is no such column, but src_addr, "),
            (["bytes", "no"], KeyError, "no: there is no such column"),
            (["bytes", "bytes"], ValueError, "named twice"),
            (len(self.flows), IndexError, "there are"),
            (slice(0, 9, 2), ValueError, "without a step"),
            (1.5, TypeError, "a name, a list of names, a number or a slice"),
            ([], TypeError, "a name, a list"),
        ):
            with self.assertRaisesRegex(error, said):
                self.flows[key]

    def test_nothing_makes_one_cell_of_it(self):
        for take in pandas.DataFrame, pandas.Series, list, tuple, numpy.asarray:
            with self.assertRaises(TypeError):
                take(self.flows)
        with self.assertRaisesRegex(TypeError, r"to_pandas\(\), to_polars\(\) and to_arrow\(\)"):
            pandas.DataFrame(self.flows)
        self.assertEqual(sum(map(len, self.flows.batches())), len(self.flows))

    def test_frames_of_others(self):
        self.assertTrue(self.flows.to_arrow().equals(self.table))
        self.assertTrue(self.flows.to_polars().equals(polars.DataFrame(self.table)))
        frame = self.flows.to_pandas()
        self.assertEqual(list(frame.columns), self.flows.columns)
        for name in "reverse_packets", "connection_bytes", "bytes":  # whole numbers, with gaps and without
            self.assertEqual([None if v is pandas.NA else v for v in frame[name]], self.table[name].to_pylist())
            self.assertEqual(frame[name].dtype.kind in "iu", True, name)
        self.assertEqual(frame["start_ns"].dt.tz is not None, True)

    def test_packages_that_are_not_there(self):
        for wanted, function in (
            ("polars", self.flows.to_polars), ("pyarrow", self.flows.to_arrow), ("pandas", self.flows.to_pandas),
            ("pyarrow", self.flows.to_pandas),
        ):  # fmt: skip
            said = rf"^{function.__name__}\(\) needs {wanted}: pip install {wanted}$"
            with without(wanted), self.assertRaisesRegex(ImportError, said):
                function()

    def test_csv(self):
        for options, words in (
            ({}, []), ({"biflow": True}, ["--biflow"]), ({"key_vlan": True}, ["--key-vlan"]),
            ({"policy": "stock"}, ["--policy", "stock"]), ({"times": "us"}, ["--times", "us"]),
        ):  # fmt: skip
            path = self.folder / "flows.csv"
            wm.extract(FIRST_LOOK, **options).write_csv(path, times=options.get("times"))
            with open(path) as file:
                header, *rows = csv.reader(file)
            self.assertEqual((header, rows), rows_of_command(*words, FIRST_LOOK))
        packed = self.folder / "flows.csv.gz"
        self.many.write_csv(packed)
        self.assert_same(rows_of(wm.show(packed)), rows_of(self.many))

    def test_csv_of_other_rows(self):
        path = self.folder / "rows.csv"
        flows = wm.extract(FIRST_LOOK, columns="first_packet", community_id=True)
        for rows in (
            flows, self.flows[["src_addr", "labels", "start_ns", "reverse_packets"]],
            wm.show(flows, sum=["dst_port", "src_addr/24"]),
        ):  # fmt: skip
            rows.write_csv(path)
            with open(path) as file:
                header, *lines = csv.reader(file)
            names, values = rows_of(rows)
            as_csv = [[";".join(eval(v)) if n == "labels" else v for n, v in zip(names, row)] for row in values]
            self.assertEqual((header, lines), (names, as_csv))
            with self.assertRaisesRegex(ValueError, "times goes with whole Flow Records"):
                rows.write_csv(path, times="us")
        self.assertEqual([p.name for p in self.folder.iterdir()], ["rows.csv"])

    def test_parquet(self):
        path = self.folder / "rows.parquet"
        sums = wm.show(self.flows, sum="dst_port")
        sums.write_parquet(path)
        self.assertTrue(pyarrow.parquet.read_table(path).equals(pyarrow.table(sums)))
        if not self.has_parquet():
            self.skipTest("a build with Parquet would run the rest")
        self.many.write_parquet(path)
        self.assert_same(rows_of(wm.show(path)), rows_of(self.many))
        wm.extract(FIRST_LOOK).write_parquet(path, times="us")
        self.assertEqual(pyarrow.parquet.read_schema(path).field("start_us").type, pyarrow.timestamp("us", "UTC"))
        self.flows.write_parquet(path)
        written = pyarrow.parquet.read_table(path)
        self.assertTrue(written.select(self.flows.columns).cast(self.table.schema).equals(self.table))

    def test_captures_and_inputs_are_not_overwritten(self):
        trace, flows = self.folder / "t.pcap", self.folder / "flows.csv"
        trace.write_bytes(FIRST_LOOK.read_bytes())
        wm.extract(trace).write_csv(flows)
        for rows in wm.show(flows), wm.show(flows, sum="src_addr"), wm.show(self.folder, "tcp")[["bytes"]]:
            for place in trace, flows:
                before = place.read_bytes()
                for write in rows.write_csv, rows.write_parquet:
                    with self.assertRaises(wm.Error):
                        write(place)
                self.assertEqual(place.read_bytes(), before)
        other = self.folder / "other.csv"
        other.write_text("old")
        other.chmod(0o600)
        wm.show(flows, sum="src_addr").write_csv(other)
        self.assertEqual(other.stat().st_mode & 0o777, 0o600)
        for name in "", "-", "sums.csv.gz":
            with self.assertRaises(wm.UsageError):
                wm.show(flows, sum="src_addr").write_csv(name)

    def test_devices_and_links_stay(self):
        some = self.flows[["bytes"]]
        for write in some.write_csv, some.write_parquet, self.flows.write_csv:
            with self.assertRaises((OSError, wm.Error)):
                write("/dev/full")
            self.assertTrue(stat.S_ISCHR(os.stat("/dev/full").st_mode))
        link, behind = self.folder / "link.csv", self.folder / "behind.csv"
        link.symlink_to(behind)
        some.write_csv(link)
        self.assertTrue(link.is_symlink() and behind.is_file())

    def test_files_that_cannot_be_written(self):
        for write in self.flows.write_csv, self.flows[["bytes"]].write_csv, self.flows.write_parquet:
            with self.nothing_left(), self.assertRaises((OSError, wm.Error)):
                write(self.folder / "none" / "flows")

    def test_what_a_notebook_shows(self):
        page = self.many._repr_html_()
        self.assertEqual(page.count("<tr>"), 1 + 10)
        self.assertIn(f"{len(self.many) - 10} more rows", page)
        totals = self.many.summary["totals"]
        self.assertIn(f"packets {totals['packets']}, bytes {totals['bytes']}", page)
        self.assertNotIn("Damage", page)
        first = rows_of(self.many)[1][0]
        self.assertIn(f">{first[0]}</td>", page)
        self.assertEqual(repr(self.many.head()), f"<warpmeter.Flows: 5 of {len(self.many)} Flow Records>")
        damaged = wm.extract(FIRST_LOOK.read_bytes()[:30000])
        place = damaged.damage[0]
        self.assertIn(f"&lt;bytes&gt;: byte {place['offset']}: ", damaged._repr_html_())
        self.assertNotIn("Warnings", damaged._repr_html_())
        self.assertIn("0 rows", wm.show(self.flows, "port 1 and port 2", sum="addr")._repr_html_())
        self.assertIn("retransmission_share", wm.show(self.flows, sum="addr")._repr_html_())
        self.assertIn("retransmitted_segments</th>", self.flows[["retransmitted_segments"]]._repr_html_())


if __name__ == "__main__":
    unittest.main()
