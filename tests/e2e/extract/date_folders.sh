#!/usr/bin/env bash
# --rotate TIME --date-folders: files lie in date=.../hour=..., show reads the folder as one, and DuckDB has date and hour as
# columns.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 6000 --mean-packets 6 --flows 4 --rate 1 -o trace.pcap
"$WARPMETER" extract -q -o plain.csv trace.pcap
mkdir out
for form in csv parquet; do
  [ $form = csv ] || "$WARPMETER" info | grep -q 'Parquet *built in' || continue
  "$WARPMETER" extract -q --rotate 30m --date-folders -o out/flows.$form trace.pcap
done
(cd out && "$WARPMETER" extract -q --rotate 30m --date-folders -o here.json ../trace.pcap)

# Each row is where its end says.
python3 - <<'PY'
import csv, datetime, glob, re
with open('plain.csv') as file: plain = sorted(tuple(row) for row in csv.reader(file) if row[0] != 'src_addr')
found = []
names = glob.glob('out/**/flows.*.csv', recursive=True)
for name in names:
    date, hour, begin = re.fullmatch(r'out/date=(\S+)/hour=(\d\d)/flows\.(\d{8}T\d{6})Z\.csv', name).groups()
    assert begin.startswith(f'{date.replace("-", "")}T{hour}'), name
    begin = datetime.datetime.strptime(begin + '+0000', '%Y%m%dT%H%M%S%z').timestamp()
    with open(name) as file: rows = [tuple(row) for row in csv.reader(file)][1:]
    assert rows and all(begin <= int(row[6]) / 1e9 < begin + 1800 for row in rows), name
    found += rows
assert len(names) > 3 and sorted(found) == plain
assert len(glob.glob('out/date=*/hour=*/here.*.json')) == len(names) and not glob.glob('out/*.*')
PY

# All of them are the folder's, without --recursive.
"$WARPMETER" extract -q --rotate 30m --date-folders -o csv-only.csv trace.pcap
mkdir one && mv date=* one
"$WARPMETER" show -q one --sort start -o shown.csv
"$WARPMETER" show -q plain.csv --sort start -o expected.csv
cmp shown.csv expected.csv
"$WARPMETER" merge -q -o merged.csv one
cmp merged.csv plain.csv
mkdir one/more && cp plain.csv one/more
"$WARPMETER" show one --sum protocol > /dev/null 2> said.txt
grep -q '1 folder below not read' said.txt || fail "$(cat said.txt)"

# A second run of the same takes the same names; a live capture takes no other's.
"$WARPMETER" extract -q --rotate 30m --date-folders -o one/csv-only.csv trace.pcap
"$WARPMETER" show -q one --sort start -o shown.csv
cmp shown.csv expected.csv
mkdir folder live; cp trace.pcap folder/
for turn in 1 2; do "$WARPMETER" live -q -i folder:folder --duration 2s --rotate 1h --date-folders -o live/flows.csv; done
[ "$(find live -name 'flows.*.csv' -path 'live/date=*/hour=*/*' | wc -l)" -ge 2 ]
"$WARPMETER" show live --sum protocol > /dev/null 2> said.txt
grep -q "^  $((2 * $(rows plain.csv))) of" said.txt || fail "$(cat said.txt)"

# With times alone; and what cannot be made is one line.
for words in "" "--rotate 10M"; do
  makes_nothing 2 "--date-folders goes with --rotate TIME" "$WARPMETER" extract -q $words --date-folders -o a.csv trace.pcap
done
mkdir full && : > full/date=$(ls one | grep -m 1 date= | cut -d= -f2)
expect_status 1 "$WARPMETER" extract -q --rotate 30m --date-folders -o full/a.csv trace.pcap
expect_one_line '^warpmeter: full/date=.*: cannot be made: '
no_leftovers

if [ -e "$SOURCE/build/python/bin/python3" ] && ls out/date=*/hour=*/*.parquet > /dev/null 2>&1; then
  "$SOURCE/build/python/bin/python3" - <<'PY'
import collections, csv, datetime
try: import duckdb
except ImportError: raise SystemExit(print('tools/setup-python runs what DuckDB reads'))
got = duckdb.sql("""SELECT date::VARCHAR, hour::INTEGER, count(*) FROM
    read_parquet('out/**/*.parquet', hive_partitioning = true) GROUP BY ALL ORDER BY ALL""").fetchall()
expected = collections.Counter()
with open('plain.csv') as file:
    for row in csv.DictReader(file):
        end = datetime.datetime.fromtimestamp(int(row['end_ns']) // 10**9, datetime.timezone.utc)
        expected[end.strftime('%Y-%m-%d'), end.hour] += 1
assert got == sorted((*at, n) for at, n in expected.items()) and len(got) > 1, got
PY
fi
