#!/usr/bin/env bash
# --filter gives the flows that Python finds for the same question.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 30000 --mean-packets 20 --flows 300 -o t.pcap
"$WARPMETER" extract -q -o a.csv t.pcap
ask() {
  "$WARPMETER" show -q a.csv -f "$1" -o got.csv
  python3 - "$2" <<'PY'
import csv, ipaddress, sys
with open('a.csv') as f: rows = list(csv.DictReader(f))
def number(row, name): return int(row[name]) if row[name] else None
def inside(row, name, net): a = ipaddress.ip_address(row[name]); n = ipaddress.ip_network(net); return a in n
def share(row): d = number(row, 'data_segments'); return number(row, 'retransmitted_segments') / d if d else None
def duration(row): return int(row['end_ns']) - int(row['start_ns'])
wanted = [row for row in rows if eval(sys.argv[1], {**globals(), 'row': row})]
got = list(csv.DictReader(open('got.csv')))
assert got == wanted, (sys.argv[1], len(got), len(wanted))
assert 0 < len(wanted) < len(rows), (sys.argv[1], len(wanted))
PY
}
ask 'packets > 20' "number(row, 'packets') > 20"
ask 'udp or dst_port = 443' "row['protocol'] == '17' or row['dst_port'] == '443'"
ask 'retransmitted_segments = 0' "number(row, 'retransmitted_segments') == 0"
ask 'retransmitted_segments > 0 and not port 443' \
  "(number(row, 'retransmitted_segments') or 0) > 0 and '443' not in (row['src_port'], row['dst_port'])"
ask 'src_addr in 10.0.0.0/9' "inside(row, 'src_addr', '10.0.0.0/9')"
ask 'addr 2001:db8:0:c0a8::/64' "any(inside(row, n, '2001:db8:0:c0a8::/64') for n in ('src_addr', 'dst_addr'))"
ask 'retransmission_share > 10%' "(share(row) or 0) > 0.1"
ask 'duration >= 50ms' "duration(row) >= 50_000_000"
ask 'duration_ns >= 50000000' "duration(row) >= 50_000_000"
ask 'duration_us < 50000' "duration(row) < 50_000_000"
ask 'duration >= 0.05' "duration(row) >= 50_000_000"
ask 'connection_ns > 100000000' "(number(row, 'connection_ns') or 0) > 100_000_000"
ask 'ipv6' "':' in row['src_addr']"
ask 'ipv4' "'.' in row['src_addr']"
ask 'tcp_flags has SF' "row['tcp_flags'] and int(row['tcp_flags']) & 3 == 3"
ask 'connection_ns > 100ms' "(number(row, 'connection_ns') or 0) > 100_000_000"
ask 'connection_ns >= 0' "row['connection_ns'] != ''"
ask 'end_reason = end' "row['end_reason'] == '3'"
ask 'start >= 2023-11-14T22:13:20.05' "int(row['start_ns']) >= 1_700_000_000_050_000_000"
ask 'host 10.0.0.0/9' "any(inside(row, n, '10.0.0.0/9') for n in ('src_addr', 'dst_addr'))"
ask 'src net 10.0.0.0/9 and not dst port in (443, 80)' "inside(row, 'src_addr', '10.0.0.0/9') and row['dst_port'] not in ('443', '80')"
ask 'dst port not in (443, 80)' "row['dst_port'] not in ('443', '80')"
ask 'src port > dst port' "int(row['src_port']) > int(row['dst_port'])"
ask 'retransmitted_segments > out_of_order_segments' \
  "row['protocol'] == '6' and number(row, 'retransmitted_segments') > number(row, 'out_of_order_segments')"
ask 'start >= "2023-11-14 22:13:20.05"' "int(row['start_ns']) >= 1_700_000_000_050_000_000"
# By the clock: these flows are of 2023, and their copies of now.
"$WARPMETER" show a.csv -f 'last 1h' > none.csv 2> said.txt
cmp none.csv <(head -1 a.csv)
grep -q "^  0 of .*; 'last' counts back from this machine's clock" said.txt || fail "said $(cat said.txt)"
awk -F, -v OFS=, -v now="$(date +%s)000000000" 'NR > 1 && NR % 2 {$6 = $7 = now} {print}' a.csv > now.csv
[ "$("$WARPMETER" show -q now.csv -f 'last 1h' | tail -n +2 | wc -l)" = $(($(rows a.csv) / 2)) ] || fail "not those of now"
"$WARPMETER" show a.csv -f 'udp' -o got.csv 2> said.txt
grep -qE "^  $(rows got.csv) of $(rows a.csv) flows: .* packets" said.txt || fail "said $(cat said.txt)"
"$WARPMETER" show a.csv -f 'udp and tcp' > none.csv 2> said.txt
cmp none.csv <(head -1 a.csv)
grep -q '^  0 of ' said.txt || fail "said $(cat said.txt)"
