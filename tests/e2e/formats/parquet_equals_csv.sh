#!/usr/bin/env bash
# A Parquet file has the CSV's columns and values, field by field, durations, and at its end what --columns adds to CSV, for
# DuckDB, polars, pyarrow and show.
. "$(dirname "$0")/../common.sh"
need_parquet readers
"$TRAFFIC_GEN" --packets 20000 --mean-packets 8 -o many.pcap
cat > compare.py <<'PY'
import csv, sys, duckdb, polars, pyarrow.parquet

# Both engines are asked for numbers and text: what Python makes of a timestamp has microseconds.
def of_duckdb(path):
    columns = [(name, kind) for name, kind, *_ in duckdb.sql(f"describe from '{path}'").fetchall()]
    select = ', '.join(f'epoch_ns({name})' if kind.startswith('TIMESTAMP') else name for name, kind in columns)
    return [name for name, _ in columns], duckdb.sql(f"select {select} from '{path}'").fetchall()

def of_polars(path):
    frame = polars.read_parquet(path)
    return frame.columns, frame.with_columns(polars.col(polars.Datetime('ns', 'UTC')).dt.epoch('ns')).rows()

def of_pyarrow(path):
    table = pyarrow.parquet.read_table(path)
    columns = [c.cast('int64') if pyarrow.types.is_timestamp(c.type) else c for c in table.columns]
    return table.column_names, list(zip(*(c.to_pylist() for c in columns)))

path, text = sys.argv[1:]
with open(text) as f: header, *rows = csv.reader(f)
for read in of_duckdb, of_polars, of_pyarrow:
    names, values = read(path)
    # Behind the CSV's own columns stand durations, of both directions.
    own = len(header) - (3 if 'handshake_ns' in header else 1)
    assert header[own] == 'first_packet', header
    durations = names[own:own + len(names) - len(header)]
    assert durations == [name[:-6] + 'duration_ns' for name in header if name.endswith('end_ns')], names
    at = [[header.index(name.replace('duration', end)) for end in ('start', 'end')] for name in durations]
    for row in values:
        assert list(row[own:own + len(durations)]) == [row[e] if row[e] is None else row[e] - row[s] for s, e in at], (read, row)
    def without_durations(row): return tuple(row[:own]) + tuple(row[own + len(durations):])
    names, values = without_durations(names), [without_durations(row) for row in values]
    assert list(names) == header, (read, names)
    assert len(values) == len(rows), (read, len(values), len(rows))
    for row, value in zip(rows, values):
        assert row == ['' if v is None else str(v) for v in value], (read, row, value)
PY

# same CAPTURE OPTION...
same() {
  "$WARPMETER" extract -q -o flows.csv "$@"
  "$WARPMETER" extract -q -o flows.parquet "$@"
  local columns=first_packet
  [[ $* != *--biflow* ]] || columns+=,reverse_first_packet,handshake_ns
  "$WARPMETER" extract -q --columns $columns -o wide.csv "$@"
  "$READERS" compare.py flows.parquet wide.csv
  "$WARPMETER" show -q -o shown.csv flows.parquet
  cmp flows.csv shown.csv
}
same "$DATA/first-look.pcap"
same many.pcap --key-vlan
same many.pcap --method five-tuple
same many.pcap --biflow --key-vlan
same many.pcap --aggregate --key-vlan
same many.pcap port 1 and port 2   # no flows at all
[ "$(rows flows.csv)" = 0 ]
