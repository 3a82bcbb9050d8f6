#!/usr/bin/env bash
# The Python examples of docs/parquet.md run as they stand there, and agree on the worst talker.
. "$(dirname "$0")/../common.sh"
need_parquet readers
"$WARPMETER" extract -q -o flows.parquet "$DATA/first-look.pcap"
example() { sed -n "/<!-- example: $1 -->/,/<!-- end -->/p" "$SOURCE/docs/parquet.md" | sed -n '/^```python$/,/^```$/p' | grep -v '^```'; }
for engine in DuckDB polars; do
  example $engine > example-$engine.py
  [ -s example-$engine.py ] || fail "docs/parquet.md has no example for $engine"
  "$READERS" example-$engine.py > $engine.txt
  cat $engine.txt
  grep -qE '([0-9]+\.){3}[0-9]+.*%|[0-9a-f:]+.*%|0\.[0-9]+' $engine.txt || fail "no shares in the output of $engine"
done
first() { grep -oE -m 1 '([0-9]{1,3}\.){3}[0-9]{1,3}|[0-9a-f]{4}:[0-9a-f:]+' $1.txt; }
[ "$(first DuckDB)" = "$(first polars)" ] || fail "the examples disagree: $(first DuckDB), $(first polars)"
