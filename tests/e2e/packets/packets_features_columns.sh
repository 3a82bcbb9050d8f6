#!/usr/bin/env bash
# Features of flows in Parquet and Arrow: the values of the CSV, with types, and they join with the Flow Records.
. "$(dirname "$0")/../common.sh"
need_parquet readers
"$TRAFFIC_GEN" --packets 20000 --mean-packets 30 --flows 900 -o t.pcap
for form in csv parquet arrow; do "$WARPMETER" packets -q t.pcap --biflow --features -o f.$form; done
"$WARPMETER" packets -q t.pcap --biflow --features --threads 1 -o one.parquet
cmp one.parquet f.parquet
"$WARPMETER" extract -q t.pcap --biflow -o flows.parquet
"$READERS" - <<'PY'
import csv, duckdb, pyarrow as pa, pyarrow.ipc, pyarrow.parquet
table = pyarrow.parquet.read_table('f.parquet')
assert pa.ipc.open_file('f.arrow').read_all().equals(table)
lists = {'splt_direction': 'uint8', 'splt_ps': 'uint32', 'splt_piat_ns': 'int64'}
for field in table.schema:
    if field.name in lists: assert str(field.type.value_type) == lists[field.name], field
    elif 'mean' in field.name or 'stddev' in field.name: assert str(field.type) == 'double', field
def text(value):
    if value is None: return ''
    return ';'.join(map(str, value)) if isinstance(value, list) else str(value)
columns = [c.cast('int64') if pa.types.is_timestamp(c.type) else c for c in table.columns]
header, *rows = csv.reader(open('f.csv'))
assert header == table.column_names and len(rows) == table.num_rows > 100
for name, got, wanted in zip(header, (c.to_pylist() for c in columns), zip(*rows)):
    for one, other in zip(got, wanted, strict=True):
        assert float(other) == one if isinstance(one, float) else text(one) == other, (name, one, other)
joined = duckdb.sql("""SELECT count(*), sum(f.bidirectional_bytes) - sum(r.bytes + coalesce(r.reverse_bytes, 0))
    FROM 'f.parquet' f JOIN 'flows.parquet' r USING (src_addr, dst_addr, src_port, dst_port, protocol, start_ns, first_packet)""").fetchall()[0]
assert joined == (len(rows), 0), joined
PY
no_leftovers
