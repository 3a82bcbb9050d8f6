"""Parquet files as loaders take them: each loads, subtracts, buckets and sums, and gets what the CSV says."""

import collections
import importlib.util
import unittest

import duckdb
import pandas
import polars
import pyarrow.compute
import pyarrow.parquet
import warpmeter as wm
from support import Case, rows_of_command, traffic

BUCKET_NS = 10**7


class Loaders(Case):
    """Of each bucket of start times: bytes, segments that were sent once, how much more payload there was than headers,
    which is below 0 for some flows, so that counters must have a sign, and durations."""

    @classmethod
    def setUpClass(cls):
        cls.capture = traffic(20000, "--mean-packets", "6", "--flows", "500")

    def setUp(self):
        super().setUp()
        if not self.has_parquet():
            self.skipTest("a build with Parquet would run this")
        capture = self.folder / "trace.pcap"
        capture.write_bytes(self.capture)
        self.files = {unit: self.folder / f"{unit}.parquet" for unit in ("ns", "us")}
        for unit, path in self.files.items():
            wm.extract(capture, "tcp", times=unit, output=path)
        header, rows = rows_of_command(capture, "tcp")
        self.records = [dict(zip(header, row)) for row in rows]

    def expected(self, ns):
        """With times in a unit of so many nanoseconds."""
        buckets = collections.defaultdict(lambda: [0, 0, 0, 0])
        for row in self.records:
            start, end = int(row["start_ns"]) // ns, int(row["end_ns"]) // ns
            sums = buckets[start * ns // BUCKET_NS]
            sums[0] += int(row["bytes"])
            sums[1] += int(row["data_segments"]) - int(row["retransmitted_segments"])
            sums[2] += 2 * int(row["payload_bytes"]) - int(row["bytes"])
            sums[3] += end - start
        self.assertGreater(len(buckets), 5)
        below = [row for row in self.records if 2 * int(row["payload_bytes"]) < int(row["bytes"])]
        self.assertGreater(len(below), 0)
        return sorted((start, *sums) for start, sums in buckets.items())

    def test_polars(self):
        for unit, ns in ("ns", 1), ("us", 1000):
            frame = polars.read_parquet(self.files[unit])
            start, end = polars.col(f"start_{unit}"), polars.col(f"end_{unit}")
            self.assertEqual(frame["bytes"].dtype, polars.Int64)
            self.assertLess(frame.select(polars.col("payload_bytes") * 2 - polars.col("bytes")).min().item(), 0)
            sums = frame.group_by(start.dt.truncate("10ms").dt.epoch("ns") // BUCKET_NS).agg(
                polars.col("bytes").sum(),
                (polars.col("data_segments") - polars.col("retransmitted_segments")).sum(),
                (2 * polars.col("payload_bytes") - polars.col("bytes")).sum().alias("beside"),
                (end - start).sum().dt.total_nanoseconds().alias("durations") // ns,
            )
            self.assertEqual(sorted(sums.rows()), self.expected(ns))

    def test_pandas(self):
        for unit, ns in ("ns", 1), ("us", 1000):
            for options in {}, {"dtype_backend": "numpy_nullable"}, {"dtype_backend": "pyarrow"}:
                frame = pandas.read_parquet(self.files[unit], **options)
                start, end = frame[f"start_{unit}"], frame[f"end_{unit}"]
                made = pandas.DataFrame({
                    "bytes": frame["bytes"],
                    "once": frame["data_segments"] - frame["retransmitted_segments"],
                    "beside": 2 * frame["payload_bytes"] - frame["bytes"],
                    "durations": (end - start).astype(f"timedelta64[{unit}]").astype("int64"),
                })  # fmt: skip
                bucket = start.dt.floor("10ms").astype("datetime64[ns, UTC]").astype("int64") // BUCKET_NS
                sums = made.groupby(bucket).sum()
                got = [(int(at), *map(int, row)) for at, row in zip(sums.index, sums.itertuples(index=False))]
                self.assertEqual(sorted(got), self.expected(ns))

    def test_pandas_of_flows(self):
        frame = wm.show(self.files["ns"]).to_pandas()
        self.assertEqual(str(frame["bytes"].dtype), "int64")
        self.assertLess((2 * frame["payload_bytes"] - frame["bytes"]).min(), 0)

    def test_pyarrow(self):
        compute = pyarrow.compute
        for unit, ns in ("ns", 1), ("us", 1000):
            table = pyarrow.parquet.read_table(self.files[unit])
            start, end = table[f"start_{unit}"], table[f"end_{unit}"]
            made = pyarrow.table({
                "bucket": compute.floor_temporal(start, 10, "millisecond").cast(pyarrow.timestamp("ns", "UTC")),
                "bytes": table["bytes"],
                "once": compute.subtract(table["data_segments"], table["retransmitted_segments"]),
                "beside": compute.subtract(compute.multiply(table["payload_bytes"], 2), table["bytes"]),
                "durations": compute.subtract(end, start).cast("int64"),
            })  # fmt: skip
            names = ["bytes", "once", "beside", "durations"]
            sums = made.group_by("bucket").aggregate([(name, "sum") for name in names])
            columns = [sums["bucket"].cast("int64"), *(sums[f"{name}_sum"] for name in names)]
            got = [(at // BUCKET_NS, *row) for at, *row in zip(*(column.to_pylist() for column in columns))]
            self.assertEqual(sorted(got), self.expected(ns))

    def test_duckdb(self):
        sums = """sum(bytes)::BIGINT, sum(data_segments - retransmitted_segments)::BIGINT,
                  sum(2 * payload_bytes - bytes)::BIGINT"""
        got = duckdb.sql(f"""
            SELECT epoch_ns(time_bucket(INTERVAL 10 milliseconds, start_us)) // {BUCKET_NS} AS bucket, {sums},
                   sum(epoch_us(end_us - start_us))::BIGINT
            FROM '{self.files["us"]}' GROUP BY bucket ORDER BY bucket""").fetchall()
        self.assertEqual(got, self.expected(1000))
        # Nanoseconds by numbers: it has no differences and no buckets of such times.
        got = duckdb.sql(f"""
            SELECT epoch_ns(start_ns) // {BUCKET_NS} AS bucket, {sums}, sum(duration_ns)::BIGINT
            FROM '{self.files["ns"]}' GROUP BY bucket ORDER BY bucket""").fetchall()
        self.assertEqual(got, self.expected(1))

    def test_spark(self):
        if importlib.util.find_spec("pyspark") is None:
            self.skipTest("build/python/bin/pip install pyspark, and Java, run this")
        from pyspark.sql import SparkSession, functions

        spark = SparkSession.builder.master("local[1]").config("spark.sql.session.timeZone", "UTC").getOrCreate()
        self.addCleanup(spark.stop)
        frame = spark.read.parquet(str(self.files["us"]))
        micros = functions.unix_micros
        rows = frame.groupBy(functions.floor(micros("start_us") * 1000 / BUCKET_NS)).agg(
            functions.sum("bytes"),
            functions.sum(frame.data_segments - frame.retransmitted_segments),
            functions.sum(2 * frame.payload_bytes - frame.bytes),
            functions.sum(micros("end_us") - micros("start_us")),
        )
        self.assertEqual(sorted(map(tuple, rows.collect())), self.expected(1000))


if __name__ == "__main__":
    unittest.main()
