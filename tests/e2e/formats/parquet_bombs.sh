#!/usr/bin/env bash
# Parquet files of some kilobytes that unpack to gigabytes or to rows without end are damaged: show takes no more memory
# and time for them than bench/attacks/files allows, and the rows before count.
. "$(dirname "$0")/../common.sh"
need_parquet
expect_status 0 "$SOURCE/bench/attacks/files" --build "$(dirname "$WARPMETER")" --tmp . --out out
for attack in 'long pages' 'rows of runs'; do
  grep -q "^| $attack |.* damaged at byte [0-9]*: row group [12]: [0-9]* rows, more than such a small file can have |" out/files.md ||
    { cat out/files.md >&2; fail "$attack"; }
done
grep -q '^| behind the value |.*: packets: a page of 67108864 bytes for 1 values |' out/files.md || { cat out/files.md >&2; fail "a long page"; }
grep -q '^| one long text |.*: src_addr: .*pages of 1048640448 bytes, more than' out/files.md || { cat out/files.md >&2; fail "a long text"; }

PYTHONPATH=$SOURCE/bench/attacks python3 -B - <<'PY'
import parquet_file
from parquet_file import TEXT, INT64, Column, same, text
rows = 1 << 20
columns = [Column(b'src_addr', TEXT, same(text(b'10.0.0.1'), rows)), Column(b'dst_addr', TEXT, same(text(b'10.0.0.2'), rows)),
           Column(b'protocol', INT64, same(b'\6' + bytes(7), rows)), Column(b'packets', INT64, same(b'\3' + bytes(7), rows))]
parquet_file.write('rows.parquet', columns, rows, groups=2)
PY
expect_status 3 "$WARPMETER" merge -q -o merged.csv rows.parquet
grep -q 'rows.parquet: damaged at byte .*: row group 2: 1048576 rows' stderr.txt || { cat stderr.txt >&2; fail "merge"; }
expect_status 3 "$WARPMETER" show -q --sum src_addr --csv rows.parquet
grep -q 3145728 stdout.txt || { cat stdout.txt >&2; fail "the rows before do not count"; }
no_leftovers
