"""polars, pandas, DuckDB and pyarrow take what is returned, as often as they like."""

import gc
import unittest

import duckdb
import pandas
import polars
import pyarrow
import warpmeter as wm
from support import FIRST_LOOK, Case, rows_of, traffic


class Takers(Case):
    def test_the_same_for_all(self):
        flows = wm.extract(FIRST_LOOK, biflow=True)
        table = pyarrow.table(flows)
        expected = table.column("packets").to_pylist()
        times = table.column("start_ns").cast("int64").to_pylist()
        for _ in range(2):
            frame = polars.DataFrame(flows)
            self.assertEqual(frame["packets"].to_list(), expected)
            self.assertEqual(frame["start_ns"].dt.epoch("ns").to_list(), times)
            of_pandas = pandas.DataFrame.from_arrow(flows)
            self.assertEqual(of_pandas["packets"].tolist(), expected)
            self.assertEqual(of_pandas["start_ns"].astype("int64").tolist(), times)
            of_duckdb = duckdb.sql("SELECT packets, epoch_ns(start_ns) FROM flows").fetchall()
            self.assertEqual(of_duckdb, list(zip(expected, times)))
            self.assertTrue(pyarrow.table(flows).equals(table))
        self.assertEqual(pyarrow.schema(flows), table.schema)

    def test_streams_and_batches(self):
        expected = rows_of(wm.extract(FIRST_LOOK))
        self.assert_same(rows_of(polars.DataFrame(wm.extract(FIRST_LOOK, stream=True))), expected)
        stream = wm.extract(FIRST_LOOK, stream=True)
        self.assertEqual(duckdb.sql("SELECT count(*) FROM stream").fetchall(), [(len(expected[1]),)])
        (batch,) = wm.extract(FIRST_LOOK).batches()
        self.assertEqual(polars.DataFrame(batch)["packets"].sum(), 300)
        self.assert_same(rows_of(wm.show(batch)), expected)

    def test_what_was_taken_outlives_the_flows(self):
        flows = wm.extract(traffic(20000))
        total = flows.summary["totals"]["packets"]
        table, frame = pyarrow.table(flows), polars.DataFrame(flows)
        column = pyarrow.table(flows).column("packets")  # a child, of a parent that has gone
        capsules = [flows.__arrow_c_stream__(), flows.__arrow_c_schema__()]  # which nobody takes
        capsules += flows.batches()[0].__arrow_c_array__()
        del flows, capsules
        gc.collect()
        self.assertEqual(sum(table.column("packets").to_pylist()), total)
        self.assertEqual(frame["packets"].sum(), total)
        self.assertEqual(sum(column.to_pylist()), total)

    def test_nothing_is_copied(self):
        (batch,) = wm.extract(FIRST_LOOK).batches()
        first, second = pyarrow.record_batch(batch), pyarrow.record_batch(batch)
        for name in "packets", "src_addr":
            ours, theirs = (taken.column(name).buffers() for taken in (first, second))
            self.assertEqual([b and b.address for b in ours], [b and b.address for b in theirs])


if __name__ == "__main__":
    unittest.main()
