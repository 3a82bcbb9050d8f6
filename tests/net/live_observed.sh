#!/usr/bin/env bash
# Flow Records say at which interface their first packet was observed, and whether this host sent it: in columns where
# that is wanted, in IPFIX and NetFlow v9 always, and never as interface 0. With several interfaces, rings and threads, in
# files of intervals too; the counts are those of extract.
. "$(dirname "$0")/live/wire.sh"
ip link add far type veth peer name second
for name in far second; do ip link set $name arp off up; done
wait_for 5 bash -c 'ip link show far | grep -q "qdisc noqueue"'
"$TRAFFIC_GEN" --packets $((40000 / SCALE)) --mean-packets 20 -o traffic.pcap
"$WARPMETER" extract -q --duplicate-window 0 -o all.csv traffic.pcap
split_conversations traffic.pcap
for part in 0 1 2; do "$WARPMETER" extract -q --duplicate-window 0 -o part$part.csv part$part.pcap; done

# observe OPTION...: part 0 comes in at capture, part 1 at second, part 2 is sent out of capture.
observe() {
  start_live -i capture -i second --duplicate-window 0 "$@"
  python3 "$HERE/live/send_frames.py" sender part0.pcap >/dev/null
  python3 "$HERE/live/send_frames.py" far part1.pcap >/dev/null
  python3 "$HERE/live/send_frames.py" capture part2.pcap >/dev/null
  end_live 0
}

# check FILE.csv...: the rows of each place are those of its part.
check() {
  python3 - "$@" <<'PY'
import csv, sys
def rows(name):
    return list(csv.DictReader(open(name)))
def values(row):
    return tuple(v for c, v in row.items() if not c.endswith('_ns') and c not in ('interface', 'direction'))
got = [row for name in sys.argv[1:] for row in rows(name)]
assert list(got[0])[-2:] == ['interface', 'direction'], list(got[0])
for part, place in enumerate([('capture', 'ingress'), ('second', 'ingress'), ('capture', 'egress')]):
    here = sorted(values(r) for r in got if (r['interface'], r['direction']) == place)
    assert here == sorted(map(values, rows(f'part{part}.csv'))), (place, len(here))
assert len(got) == sum(len(rows(f'part{part}.csv')) for part in range(3)), len(got)
PY
}

for ring in '--ring packet' '--ring packet --rings 2' '--ring packet --rings 2 --batch 4194304'; do
  observe $ring --interface-columns -o got.csv
  check got.csv
  "$WARPMETER" show --columns packets got.csv >/dev/null 2>&1 || fail "show does not read these columns"
done
observe --ring packet --interface-columns --rotate 1h -o hour.csv
check hour.*.csv

observe --ring packet --interface-columns -o got.json -o flows.ipfix
python3 - <<'PY'
import json
places = {(r['interface'], r['direction']) for r in map(json.loads, open('got.json'))}
assert places == {('capture', 'ingress'), ('second', 'ingress'), ('capture', 'egress')}, places
PY
if command -v tshark >/dev/null; then
  read -r capture second < <(python3 -c "import socket; print(*map(socket.if_nametoindex, (\"capture\", \"second\")))")
  tshark -r flows.ipfix -T fields -E occurrence=a -E aggregator=' ' -e cflow.inputint -e cflow.outputint \
    -e cflow.direction 2>/dev/null | tr '\t ' '\n\n' | sort -u >seen.txt
  for number in "$capture" "$second"; do grep -qx "$number" seen.txt || { cat seen.txt; fail "no interface $number"; }; done
fi
# Rings of AF_XDP see what comes in.
start_live -i capture -i second --ring xdp --duplicate-window 0 --interface-columns -o got.csv
python3 "$HERE/live/send_frames.py" far part1.pcap >/dev/null
end_live 0
python3 - <<'PY'
import csv
places = {(r['interface'], r['direction']) for r in csv.DictReader(open('got.csv'))}
assert places == {('second', 'ingress')}, places
PY

# Where it means nothing.
expect_status 2 "$WARPMETER" live -i capture --interface-columns -o flows.ipfix
expect_one_line 'interface-columns goes with CSV, JSON and Parquet'
expect_status 2 "$WARPMETER" live -i capture --interface-columns --threads 3 -o flows.csv
expect_one_line 'interface-columns: who reads a ring alone knows its interface; without --threads above 1'
expect_status 2 "$WARPMETER" live -i folder:. --interface-columns -o flows.csv
expect_one_line 'interface-columns means nothing for -i folder:'
no_leftovers
