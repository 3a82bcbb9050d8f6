#!/usr/bin/env bash
# The table of packets as Parquet and as an Arrow file is that of the CSV, as other programs read it; the same bytes for any threads.
. "$(dirname "$0")/../common.sh"
need_parquet readers
"$TRAFFIC_GEN" --packets 150000 --flows 2000 --vlan 0.1 -o t.pcap
for threads in 1 2 4; do
  for form in csv parquet arrow; do
    "$WARPMETER" packets -q t.pcap --key-vlan --threads $threads -o $threads.$form
    cmp $threads.$form 1.$form
  done
done
"$READERS" - <<'PY'
import csv, datetime, duckdb, pyarrow, pyarrow.ipc, pyarrow.parquet
parquet = pyarrow.parquet.read_table('1.parquet')
arrow = pyarrow.ipc.open_file('1.arrow')
assert arrow.num_record_batches == 10, arrow.num_record_batches
assert arrow.read_all().cast(parquet.schema).equals(parquet)
rows = list(csv.reader(open('1.csv')))
assert rows[0] == parquet.column_names
for i, name in enumerate(rows[0]):
    column = parquet.column(name)
    if pyarrow.types.is_timestamp(column.type): column = column.cast(pyarrow.int64())
    assert ['' if value is None else str(value) for value in column.to_pylist()] == [row[i] for row in rows[1:]], name
(count,), = duckdb.sql("select count(*) from '1.parquet' where verdict = 'retransmitted' and seen_before > 0").fetchall()
assert count > 0 == duckdb.sql("select count(*) from '1.parquet' where verdict = 'duplicate' and duplicate_of is null").fetchall()[0][0]
PY
# Of few flows most batches have no rows.
for form in csv parquet; do "$WARPMETER" packets -q t.pcap -f 'packets < 4' -o few.$form; done
"$READERS" - <<'PY'
import csv, pyarrow.parquet
rows, parquet = list(csv.DictReader(open('few.csv'))), pyarrow.parquet.read_table('few.parquet').to_pylist()
assert 100 < len(rows) == len(parquet), len(rows)
for row, other in zip(rows, parquet):
    assert all(row[name] == other[name] for name in ('src_addr', 'dst_addr', 'verdict')), (row, other)
PY
expect_status 1 "$WARPMETER" packets -q t.pcap --format parquet -o /dev/full
no_leftovers
