#!/usr/bin/env bash
# A signal ends `memory` with status 130 and the tables of what was read until then; the page and the summary say so. Killed
# outright it leaves no output.
. "$(dirname "$0")/../common.sh"
cp "$DATA/first-look.pcap" a.pcap
"$WARPMETER" memory -q -o wanted.json a.pcap
begin() { begin_open a.pcap "$WARPMETER" memory --stats stats.json -o "$1" -; }
for output in got.json got.html; do
  begin $output; kill -INT $program; end_open
  [ $status = 130 ] || fail "exit status $status"
  grep -q '^  interrupted ' stderr.txt || { cat stderr.txt; fail "the summary does not say so"; }
  grep -q '"exit status": 130' stats.json || fail "$(cat stats.json)"
done
python3 - <<'PY' || fail "other tables, or no remark"
import json
got, wanted = (json.load(open(name)) for name in ('got.json', 'wanted.json'))
assert got.pop('remarks') == wanted.pop('remarks') + ['Reading was interrupted: the figures are of what was read.']
assert got == wanted
PY
grep -q 'Reading was interrupted' got.html || fail "the page does not say so"
begin other.json; kill -KILL $program; end_open
[ ! -e other.json ] || fail "there is an output"
