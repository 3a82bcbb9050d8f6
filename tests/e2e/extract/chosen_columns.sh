#!/usr/bin/env bash
# --columns of extract and merge chooses: a file has these columns alone, in this order, with the values of the whole one,
# whatever threads and formats; a list of what can be added adds, unless = stands before it.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets $((30000 / SCALE)) --mean-packets 12 --flows 300 --ipv6 0.3 --udp 0.2 -o t.pcap
options=(--biflow --key-vlan --idle-timeout 50ms)
"$WARPMETER" extract -q "${options[@]}" --columns first_packet,handshake_ns --annex ttl --community-id -o whole.csv t.pcap
"$WARPMETER" extract -q "${options[@]}" --times us -o us.csv t.pcap
list=dst_port,src_addr,reverse_bytes,start,vlan_id,ttl,duration,community_id,first_packet,handshake,retransmitted_segments
formats=(csv json)
! "$WARPMETER" info | grep -q 'Parquet *built in' || formats+=(parquet)
for format in "${formats[@]}"; do outputs+=(-o "few.$format"); done
"$WARPMETER" extract -q "${options[@]}" --annex ttl --columns $list "${outputs[@]}" t.pcap
cat > check.py <<'PY'
import csv, json, sys
with open('whole.csv') as file: whole = list(csv.DictReader(file))
with open('few.csv') as file: few = list(csv.DictReader(file))
names = 'dst_port,src_addr,reverse_bytes,start_ns,vlan_id,ttl,duration_ns,community_id,first_packet,handshake_ns,retransmitted_segments'
assert ','.join(few[0]) == names, list(few[0])
assert len(few) == len(whole) > 100 and any(row['handshake_ns'] for row in few) and any(row['ttl'] for row in few)
for row, all_of in zip(few, whole, strict=True):
    all_of['duration_ns'] = str(int(all_of['end_ns']) - int(all_of['start_ns']))
    assert row == {name: all_of[name] for name in row}, (row, all_of)
def text(value): return '' if value is None else str(value)
with open('few.json') as file: objects = [json.loads(line) for line in file]
assert [{name: text(value) for name, value in one.items()} for one in objects] == few
PY
python3 check.py
for how in '--threads 1' '--threads 3 --batch 7' '--threads 2 --memory 64M --run-memory 64K'; do
  # shellcheck disable=SC2086
  "$WARPMETER" extract -q $how "${options[@]}" --annex ttl --columns $list -o again.csv -o again.json t.pcap
  cmp again.csv few.csv
  cmp again.json few.json
done

# What show and merge choose of the whole file is the same.
"$WARPMETER" show -q --columns $list -o shown.csv whole.csv
cmp shown.csv few.csv
"$WARPMETER" merge -q --columns $list -o merged.csv -o merged.json whole.csv
cmp merged.csv few.csv
cmp merged.json few.json
if [[ ${formats[*]} == *parquet* ]]; then
  "$WARPMETER" show -q --columns $list -o shown.parquet whole.csv
  cmp shown.parquet few.parquet
  "$WARPMETER" merge -q --columns $list -o merged.parquet whole.csv
  cmp merged.parquet few.parquet
fi

# Times tell their unit; the unit's own name is known, too.
"$WARPMETER" extract -q "${options[@]}" --times us --columns start,end_us,duration -o few-us.csv t.pcap
[ "$(head -1 few-us.csv)" = start_us,end_us,duration_us ] || fail "$(head -1 few-us.csv)"
cut -d, -f1,2 few-us.csv | cmp - <(cut -d, -f6,7 us.csv)
"$WARPMETER" extract -q --times iso --columns end,start -o - t.pcap | head -2 | tail -1 > line.txt || true
grep -qxE '20[0-9T:.-]{27}Z,20[0-9T:.-]{27}Z' line.txt || fail "$(cat line.txt)"

# Adding, and choosing from what could be added; a seed of the hash.
"$WARPMETER" extract -q "${options[@]}" --columns =handshake_ns,first_packet -o ids.csv t.pcap
"$WARPMETER" show -q --columns handshake_ns,first_packet whole.csv -o shown.csv
cmp ids.csv shown.csv
"$WARPMETER" extract -q --community-id --community-id-seed 7 -o seeded.csv t.pcap
"$WARPMETER" extract -q --community-id --community-id-seed 7 --columns =community_id -o ids.csv t.pcap
cmp ids.csv <(rev seeded.csv | cut -d, -f1 | rev)

# Rotated files hold the same rows; a policy's columns are chosen by their names; a table has two lines a biflow.
"$WARPMETER" extract -q "${options[@]}" --annex ttl --columns $list --rotate 2K -o rotated.csv t.pcap
[ "$(ls rotated.*.csv | wc -l)" -gt 3 ] || fail "$(ls rotated*)"
{ head -1 few.csv; tail -qn +2 rotated.*.csv; } | cmp - few.csv
"$WARPMETER" extract -q --policy stock -o named.csv t.pcap
"$WARPMETER" extract -q --policy stock --columns labels,src_addr,host -o few-named.csv t.pcap
"$WARPMETER" show -q --columns labels,src_addr,host -o shown.csv named.csv
cmp few-named.csv shown.csv
"$WARPMETER" extract -q --biflow --format table --columns source,bytes t.pcap > table.txt
grep -q '^ *SOURCE  *BYTES$' table.txt && grep -q '^  [0-9a-f\[]' table.txt || fail "$(head -3 table.txt)"

usage() {
  local wanted=$1
  shift
  expect_status 2 "$WARPMETER" extract -q "$@" -o a.csv t.pcap
  expect_one_line "$wanted"
  [ ! -e a.csv ] || fail "a.csv is there: $*"
}
usage "columns: 'pakets' is no column .near: packets" --columns bytes,pakets
usage "columns: 'bytes' is there twice" --columns bytes,src_addr,bytes
usage "columns: 'start_ns' is there twice" --columns start,bytes,start_ns
for empty in bytes, ,bytes bytes,,packets , = =,bytes; do usage 'columns: a name is empty' --columns "$empty"; done
usage "columns '': there is no value" --columns ''
usage 'columns reverse_bytes goes with --biflow' --columns bytes,reverse_bytes
usage 'columns handshake_ns goes with --biflow' --columns =handshake_ns
usage 'columns vlan_id goes with --key-vlan' --columns vlan_id
usage 'columns reverse_ttl goes with --annex ttl' --biflow --columns bytes,reverse_ttl
usage 'columns labels goes with --policy' --columns bytes,labels
usage "columns: port is for filters and sums" --columns bytes,port
usage 'community-id: --columns chooses others' --community-id --columns bytes
usage 'IPFIX has whole Flow Records' --columns bytes -o a.ipfix
expect_status 2 "$WARPMETER" extract -q --collector udp://127.0.0.1 --columns bytes t.pcap
expect_one_line 'IPFIX has whole Flow Records'
expect_status 2 "$WARPMETER" live -i lo --columns bytes,first_packet -o a.csv
expect_one_line 'columns first_packet: a live capture is no trace'
long=$(printf 'a%.0s' {1..100000})
usage "columns: 'aaaa" --columns "bytes,$long"
[ "$(wc -c < stderr.txt)" -lt 400 ] || fail 'a long line'
no_leftovers
