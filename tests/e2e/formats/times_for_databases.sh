#!/usr/bin/env bash
# --times: microseconds and RFC 3339 text instead of nanoseconds, exactly those of the default, under names that tell;
# durations as a column of JSON and Parquet; show and report read all of them back.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets $((20000 / SCALE)) --mean-packets 20 --flows 300 -o t.pcap
cat > compare.py <<'PY'
import csv, datetime, json, sys

def of_text(text):
    moment, fraction = text.removesuffix('Z').split('.')
    assert text.endswith('Z') and len(fraction) == 9, text
    seconds = datetime.datetime.strptime(moment + '+0000', '%Y-%m-%dT%H:%M:%S%z').timestamp()
    return int(seconds) * 10**9 + int(fraction)

form, default, text, lines = sys.argv[1:]
renamed = {'ns': {}, 'us': {'start_ns': 'start_us', 'end_ns': 'end_us', 'connection_ns': 'connection_us'},
           'iso': {'start_ns': 'start_time', 'end_ns': 'end_time'}}[form]
in_form = lambda name: 'reverse_' + renamed.get(name[8:], name[8:]) if name.startswith('reverse_') else renamed.get(name, name)
def expected(name, value):
    if value == '': return ''
    if form == 'us' and name.endswith('_ns'): return str(int(value) // 1000)
    return value
def plain(name, value):
    return str(of_text(value)) if name.endswith('_time') and value else value
with open(default) as f: header, *rows = csv.reader(f)
with open(text) as f: names, *values = csv.reader(f)
assert names == [in_form(name) for name in header], names
assert rows and len(rows) == len(values)
for row, value in zip(rows, values):
    assert [expected(n, v) for n, v in zip(header, row)] == [plain(n, v) for n, v in zip(names, value)], (row, value)
unit = 'us' if form == 'us' else 'ns'
biflow = any(name.startswith('reverse_') for name in header)
for value, line in zip(values, open(lines), strict=True):
    object = json.loads(line)
    durations = [('', 'duration_' + unit)] + ([('reverse_', 'reverse_duration_' + unit)] if biflow else [])
    assert list(object) == names + [name for _, name in durations], object
    assert value == ['' if object[name] is None else str(object[name]) for name in names], (value, object)
    for prefix, duration in durations:
        start, end = (object[prefix + in_form(name)] for name in ('start_ns', 'end_ns'))
        if form == 'iso' and start: start, end = of_text(start), of_text(end)
        assert object[duration] == (None if start is None else end - start), object
PY
for options in '' '--biflow --key-vlan'; do
  # shellcheck disable=SC2086
  "$WARPMETER" extract -q $options -o t.csv t.pcap
  for form in ns us iso; do
    # shellcheck disable=SC2086
    "$WARPMETER" extract -q $options --times $form -o $form.csv -o $form.json t.pcap
    python3 compare.py $form t.csv $form.csv $form.json
    # What show reads it writes again, in the same form or another, from either format.
    for from in $form.csv $form.json; do
      "$WARPMETER" show -q --times $form -o again.csv $from; cmp again.csv $form.csv
      "$WARPMETER" show -q --times $form -o again.json - < $from; cmp again.json $form.json
    done
    "$WARPMETER" show -q --times $form -o again.csv t.csv; cmp again.csv $form.csv
  done
  "$WARPMETER" show -q -o again.csv iso.json; cmp again.csv t.csv  # text keeps every nanosecond
done
# Chosen columns and sums have the form and the names, too.
"$WARPMETER" show -q --times us --columns start,duration,connection_ns -o shown.csv us.csv
head -1 shown.csv > header.txt
grep -qx 'start_us,duration_us,connection_us' header.txt || fail "header: $(cat header.txt)"
for form in ns iso; do
  "$WARPMETER" show -q --times $form --columns duration,reverse_duration -o shown.csv us.csv
  [ "$(head -1 shown.csv)" = duration_ns,reverse_duration_ns ] || fail "header: $(head -1 shown.csv)"
done
"$WARPMETER" show -q --columns duration --json us.csv | head -1 | grep -qE '^\{"duration_ns":[0-9]+\}$' || fail "JSON"
"$WARPMETER" show -q --columns duration --format table us.csv | head -1 | grep -q '^ *DURATION' || fail "table"
"$WARPMETER" show -q --times us --columns start,duration -o shown.json us.csv
head -1 shown.json > line.txt
grep -qE '^\{"start_us":[0-9]{16},"duration_us":[0-9]+\}$' line.txt || fail "line: $(cat line.txt)"
"$WARPMETER" show -q --times iso --sum start/1s -o shown.json us.csv
head -1 shown.json > line.txt
grep -qE '^\{"start_time/1s":"20[0-9T:-]+\.000000000Z",.*"start_time":"2' line.txt || fail "line: $(cat line.txt)"
[ "$("$WARPMETER" show -q --columns start -f 'duration_ns > 50ms' ns.json -o - | wc -l)" = \
  "$("$WARPMETER" show -q --columns start -f 'duration > 50ms' us.json --times iso -o - | wc -l)" ] || fail "duration_ns"
# report: the same page but for the name of the input.
for form in ns iso; do
  cp $form.csv flows.csv
  "$WARPMETER" report flows.csv -o $form.html
done
cmp ns.html iso.html
# jq computes with them where it is there.
if command -v jq > jq.txt; then
  [ "$(jq -r '[.duration_us, (.end_us - .start_us)] | select(.[0] != .[1])' us.json)" = "" ] || fail "jq: durations"
  [ "$(jq -r '.start_time | .[0:19] + "Z" | fromdate' iso.json | sort -u | head -1)" -gt 1000000000 ] || fail "jq: dates"
fi
bad_ones=('--times us -o x.ipfix' '--times ms -o x.csv')
"$WARPMETER" info | grep -q 'Parquet *built in' && bad_ones+=('--times iso -o x.parquet')
for bad in "${bad_ones[@]}"; do
  # shellcheck disable=SC2086
  expect_status 2 "$WARPMETER" extract -q $bad t.pcap
  expect_one_line '--times'
done
no_leftovers
