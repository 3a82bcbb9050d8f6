#!/usr/bin/env bash
# --annex: of each flow what its first packet and its SYN tell, by frames of which each tells something else
# (first_packets.py) and by the oracle's numbers of first packets: whatever threads, batches, memory, directions, files and
# formats. Readers give it back; it changes nothing else.
. "$(dirname "$0")/../common.sh"
frames() { python3 "$SOURCE/tests/e2e/first_packets.py" "$@"; }
options=(--idle-timeout 60ms --active-timeout 250ms)
first=(--columns first_packet)
for seed in 1 2 3; do
  frames write $seed t.pcap truth.json
  for opened in '' decapsulated; do
    "$REFERENCE_METER" t.pcap "${options[@]}" "${first[@]}" ${opened:+--decapsulate} >want.csv
    "$WARPMETER" extract -q "${options[@]}" "${first[@]}" --annex all ${opened:+--decapsulate} -o one.csv t.pcap
    frames check truth.json want.csv one.csv $opened
    cut -d, -f1-28 one.csv | cmp - want.csv || fail "other columns changed"
    for how in '--threads 1' '--threads 3 --batch 7' '--threads 2 --memory 1M --run-memory 64K'; do
      # shellcheck disable=SC2086
      "$WARPMETER" extract -q $how "${options[@]}" "${first[@]}" --annex all ${opened:+--decapsulate} -o got.csv t.pcap
      cmp got.csv one.csv || fail "$how $opened"
    done
  done
done

# A name chooses a column; of all flows of a key the first packet counts.
"$WARPMETER" extract -q "${options[@]}" --decapsulate --annex ttl,src_mac -o some.csv t.pcap
head -1 some.csv | grep -q ',stray_segments,src_mac,ttl$' || fail "$(head -1 some.csv)"
cut -d, -f28,37 <(cut -d, -f1-27,29- one.csv) | cmp - <(cut -d, -f28,29 some.csv) || fail "some columns"
"$REFERENCE_METER" t.pcap --aggregate --decapsulate "${options[@]}" "${first[@]}" >want.csv
"$WARPMETER" extract -q --aggregate --decapsulate "${options[@]}" "${first[@]}" --annex all -o got.csv t.pcap
frames check truth.json want.csv got.csv decapsulated

# Both directions, in all formats and back.
"$REFERENCE_METER" t.pcap "${options[@]}" "${first[@]}" --decapsulate >want.csv
formats=(csv json)
! "$WARPMETER" info | grep -q 'IPFIX *built in' || formats+=(ipfix)
! "$WARPMETER" info | grep -q 'Parquet *built in' || formats+=(parquet)
for format in "${formats[@]}"; do outputs+=(-o "both.$format"); done
both=(--columns first_packet,reverse_first_packet)
"$WARPMETER" extract -q "${options[@]}" --decapsulate --biflow "${both[@]}" --annex all "${outputs[@]}" t.pcap
frames check truth.json want.csv both.csv decapsulated
"$WARPMETER" merge -q "${both[@]}" -o again.csv both.csv
for format in "${formats[@]}"; do
  "$WARPMETER" merge -q "${both[@]}" -o got.csv both.$format
  cmp got.csv both.csv || fail "merge of both.$format"
  "$WARPMETER" show -q both.$format --columns reverse_src_mac,ttl,syn_options,outer_src_addr -o shown.csv
  python3 - both.csv shown.csv <<'PY' || fail "show of both.$format"
import csv, sys
whole, shown = (list(csv.DictReader(open(name))) for name in sys.argv[1:])
assert len(shown) == len(whole) > 50 and [{name: row[name] for name in shown[0]} for row in whole] == shown
PY
done
for i in 1 2 3; do "$WARPMETER" extract -q "${options[@]}" --decapsulate --annex all --biflow --rotate 40ms -o rotated.csv t.pcap; done
"$WARPMETER" merge -q --most-files 2 -o got.json rotated.*.csv
"$WARPMETER" extract -q "${options[@]}" --decapsulate --annex all --biflow -o wanted.json t.pcap
cmp got.json wanted.json || fail "a merge in passes"

# Filters, keys, orders.
cat >check.py <<'PY'
import csv, sys
whole, few, sums = (list(csv.DictReader(open(name))) for name in sys.argv[1:])
wanted = [row for row in whole if row['ttl'] and int(row['ttl']) < 100 and row['syn_options'] not in ('', '2') and row['tunnel'] != 'gre' and row['tunnel']]
assert sorted(map(str, wanted)) == sorted(map(str, few)) and len(few) > 3, (len(wanted), len(few))
assert [int(row['ttl']) for row in few] == sorted(int(row['ttl']) for row in few)
tunnels = {}
for row in whole:
    for prefix in ('', 'reverse_') if row['reverse_packets'] else ('',):
        tunnels[row[prefix + 'tunnel']] = tunnels.get(row[prefix + 'tunnel'], 0) + 1
assert {row['tunnel']: int(row['flows']) for row in sums} == tunnels and len(tunnels) > 4, (sums, tunnels)
PY
"$WARPMETER" show -q both.json -f "ttl < 100 and syn_options != '2' and tunnel != gre" --sort ttl:asc -o few.csv
"$WARPMETER" show -q both.json --sum tunnel --columns flows -o sums.csv
"$WARPMETER" show -q both.csv -o whole.csv
python3 check.py whole.csv few.csv sums.csv
"$WARPMETER" show -q --aggregate both.csv -o sums.csv
[ "$(rows sums.csv)" -gt 40 ] && head -1 sums.csv | grep -q ',syn_options$' || fail "$(head -1 sums.csv)"

usage() {
  local wanted=$1
  shift
  expect_status 2 "$WARPMETER" "$@"
  expect_one_line "$wanted"
}
usage "--annex: 'tll' is none of all, src_mac" extract --annex ttl,tll -o a.csv t.pcap
usage '--annex: a GPU has no frames' extract --annex all --backend cuda -o a.csv t.pcap
"$WARPMETER" decode -q -o segments t.pcap
usage '--annex: it is for captures' extract --annex ttl -o a.csv segments
usage '-f asks for what first packets tell' packets t.pcap -f 'ttl > 3' -o a.pcap
no_leftovers
