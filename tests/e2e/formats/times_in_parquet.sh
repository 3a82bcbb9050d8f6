#!/usr/bin/env bash
# Parquet with --times us: timestamps that DuckDB subtracts and buckets; durations as a column in either unit; show reads
# both back.
. "$(dirname "$0")/../common.sh"
need_parquet readers
"$TRAFFIC_GEN" --packets 20000 --mean-packets 20 --flows 300 -o t.pcap
"$WARPMETER" extract -q --biflow -o t.csv t.pcap
"$WARPMETER" extract -q --biflow -o ns.parquet t.pcap
"$WARPMETER" extract -q --biflow --times us -o us.parquet -o us.csv -o us.json t.pcap
"$READERS" - <<'PY'
import csv, duckdb, json, pyarrow.parquet
names = pyarrow.parquet.read_schema('us.parquet').names
more = ['first_packet', 'reverse_first_packet', 'handshake_us']
assert names == list(json.loads(open('us.json').readline())) + more, names
assert str(pyarrow.parquet.read_schema('us.parquet').field('start_us').type) == 'timestamp[us, tz=UTC]'
assert pyarrow.parquet.read_schema('ns.parquet').names[-5:] == [
    'duration_ns', 'reverse_duration_ns', 'first_packet', 'reverse_first_packet', 'handshake_ns']
assert str(pyarrow.parquet.read_schema('us.parquet').field('handshake_us').type) == 'int64'
rows = list(csv.DictReader(open('us.csv')))
flows = duckdb.sql("""select epoch_us(start_us), epoch_us(end_us), duration_us, epoch_us(end_us - start_us),
  reverse_duration_us, epoch_us(reverse_end_us) - epoch_us(reverse_start_us), connection_us,
  epoch_us(time_bucket(interval 10 seconds, start_us)) from 'us.parquet'""").fetchall()
assert rows and len(rows) == len(flows)
for row, (start, end, duration, difference, reverse, reverse_difference, connection, bucket) in zip(rows, flows):
    assert (start, end) == (int(row['start_us']), int(row['end_us'])), row
    assert duration == difference == end - start and reverse == reverse_difference, row
    assert ('' if connection is None else str(connection)) == row['connection_us'], row
    assert bucket == start - start % 10_000_000, (start, bucket)
for row, (duration, reverse) in zip(csv.DictReader(open('t.csv')),
                                    duckdb.sql("select duration_ns, reverse_duration_ns from 'ns.parquet'").fetchall(), strict=True):
    assert duration == int(row['end_ns']) - int(row['start_ns'])
    assert reverse == (int(row['reverse_end_ns']) - int(row['reverse_start_ns']) if row['reverse_end_ns'] else None)
PY
"$WARPMETER" show -q --times us -o again.csv us.parquet; cmp again.csv us.csv
"$WARPMETER" extract -q --biflow --times us --columns first_packet,reverse_first_packet -o wide.csv t.pcap
"$WARPMETER" show -q --times us -o again.parquet wide.csv; cmp again.parquet us.parquet
"$WARPMETER" show -q -o again.csv ns.parquet; cmp again.csv t.csv
# Text and Parquet beside each other: each has what it can.
"$WARPMETER" extract -q --biflow --times iso -o iso.csv -o iso.parquet t.pcap
cmp iso.parquet ns.parquet
head -1 iso.csv | grep -q ',start_time,end_time,' || fail "no text"
no_leftovers
