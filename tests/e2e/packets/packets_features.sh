#!/usr/bin/env bash
# Features of flows: what an oracle makes of the packets of each Flow Record, in every form, for any threads and memory, from
# captures and segment files; what goes with them, and what is refused.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 20000 --mean-packets 60 --flows 200 --vlan 0.1 -o t.pcap
"$SOURCE/tools/compare_features" --binary "$WARPMETER" --jobs 1 t.pcap "$DATA/first-look.pcap" || fail "features are others"

"$WARPMETER" packets t.pcap --biflow --features -o f.csv --stats stats.json 2>said.txt
grep -qE '^  flows written +[0-9]+ \(' said.txt || fail "said $(cat said.txt)"
for how in '--threads 1' '--threads 3' '--threads 2 --run-memory 64K' '--threads 2 --memory 8M'; do
  "$WARPMETER" packets -q t.pcap --biflow --features $how -o again.csv
  cmp again.csv f.csv || fail "$how gives others"
done
"$WARPMETER" decode -q -o set t.pcap
"$WARPMETER" packets -q set --biflow --features --format csv -o - | cmp - f.csv
"$WARPMETER" packets -q t.pcap --biflow --features -o f.json
"$WARPMETER" extract -q t.pcap --biflow --columns first_packet -o flows.csv
python3 - <<'PY'
import csv, json
rows = list(csv.DictReader(open('f.csv')))
lists = ('splt_direction', 'splt_ps', 'splt_piat_ns')
for row, line in zip(rows, [json.loads(line) for line in open('f.json')], strict=True):
    assert list(row) == list(line)
    for name, value in line.items():
        if name in lists: assert row[name] == ';'.join(map(str, value)) and 1 <= len(value) <= 20, (name, value, row[name])
        elif value is None: assert row[name] == '', (name, row[name])
        elif isinstance(value, float): assert float(row[name]) == value
        else: assert row[name] == str(value), (name, value, row[name])
stats, flows = json.load(open('stats.json')), list(csv.DictReader(open('flows.csv')))
assert stats['flows_written'] == stats['flows_selected'] == len(rows) == len(flows) > 100, stats
assert sum(int(row['bidirectional_packets']) for row in rows) == stats['packets_read'] == 20000
PY

# -f takes rows, and the first packets may be fewer.
"$WARPMETER" packets -q t.pcap --biflow --features -f 'packets > 30' -o some.csv
head -1 f.csv >wanted.csv
awk -F, -v at="$(head -1 f.csv | tr , '\n' | grep -nx src2dst_packets | cut -d: -f1)" 'NR > 1 && $at > 30' f.csv >>wanted.csv
cmp some.csv wanted.csv
[ "$(rows some.csv)" -gt 5 ] || fail "few rows"
"$WARPMETER" packets -q t.pcap --features --first-packets 1 --idle-after 1ms --key-vlan -o one.csv
head -1 one.csv | grep -q '^src_addr,dst_addr,src_port,dst_port,protocol,start_ns,end_ns,vlan_id,first_packet,src2dst_duration_ns,' ||
  fail "columns $(head -1 one.csv)"
! cut -d, -f"$(head -1 one.csv | tr , '\n' | grep -nx splt_ps | cut -d: -f1)" one.csv | grep -q ';' || fail "more than one"

# What is refused, in one line, and leaves nothing.
refused() {
  local status=$1 line=$2
  shift 2
  expect_status "$status" "$WARPMETER" packets -q "$@"
  expect_one_line "$line"
}
refused 2 '--features makes a table: NAME.csv' t.pcap --features -o no.pcap
refused 2 '^warpmeter: --flows: not with --features' t.pcap --features --flows flows.csv -o no.csv
refused 2 '^warpmeter: --verdict: not with --features' t.pcap --features -w new -o no.csv
refused 2 '^warpmeter: --first-packets: it goes with --features' t.pcap --first-packets 3 -o no.csv
refused 2 '^warpmeter: --idle-after: it goes with --features' t.pcap --idle-after 3 -o no.csv
refused 2 'first-packets' t.pcap --features --first-packets 256 -o no.csv
refused 2 'first-packets' t.pcap --features --first-packets 0 -o no.csv
refused 2 'read twice with --features' - --features -o no.csv
refused 2 'output is required' t.pcap --features
refused 1 't.pcap' t.pcap --features --format csv -o t.pcap
expect_status 1 "$WARPMETER" packets -q t.pcap --features --format csv -o /dev/full
"$TRAFFIC_GEN" --packets 60000 --flows 60000 --mean-packets 1 -o many.pcap
refused 1 'features of more flows are wanted than have room in 512 KiB, half of --memory' many.pcap --features --memory 1M -o no.csv
# Of a damaged capture what comes before the damage is told.
head -c 400000 t.pcap >cut.pcap
expect_status 3 "$WARPMETER" packets -q cut.pcap --features -o cut.csv
[ "$(rows cut.csv)" -gt 10 ] || fail "few rows before the damage"
[ -z "$(ls no.* 2>/dev/null)" ] || fail "there is an output"
no_leftovers
