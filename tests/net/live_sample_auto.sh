#!/usr/bin/env bash
# live --sample-flows auto: packets are lost, stopped on purpose, and it meters half of the flows from then on. Of these the
# Flow Records are those of a capture of half; the others end for lack of resources, with what they had had before. Every
# packet is metered or counted, and a collector is told the rate.
. "$(dirname "$0")/live/wire.sh"
ip link set lo up
"$TRAFFIC_GEN" --packets 3000 --mean-packets 8 -o traffic.pcap
"$TRAFFIC_GEN" --packets 5000 --mean-packets 20 --icmp 0 --seed 2 -o others.pcap
{ cat traffic.pcap; tail -c +25 traffic.pcap; } > twice.pcap
export WARPMETER_SAMPLE_SEED=known
half() { "$WARPMETER" extract -q --duplicate-window 0 "$@"; }
half -o all.csv traffic.pcap
half --sample-flows 1/2 -o half.csv traffic.pcap
half --sample-flows 1/2 -o half_of_twice.csv twice.pcap

for how in "--rings 1" "--rings 2 --fanout hash"; do
  port=$(free_port udp)
  rm -f told got.csv
  python3 "$HERE/receive.py" udp "$port" told &
  OTHERS=$!
  wait_for 10 grep -qi ":$(printf %04x "$port") " /proc/net/udp
  # shellcheck disable=SC2086
  start_live -i capture --ring packet $how --ring-size 3M --duplicate-window 0 --max-latency 200ms \
    --sample-flows auto --collector "udp://127.0.0.1:$port" -o got.csv
  first=$(send_frames traffic.pcap)
  sleep 1
  kill -STOP "$LIVE"
  second=$(send_frames others.pcap 10)
  kill -CONT "$LIVE"
  wait_for 10 grep -q '1/2 of the flows is metered' live.txt
  sleep 3  # told of what was lost before, it does not take fewer
  third=$(send_frames traffic.pcap)
  sleep 0.5
  kill -USR1 "$LIVE"
  wait_for 10 grep -q 'sample of flows *1/2$' live.txt
  end_live 0
  kill "$OTHERS"
  stats "offered == $((first + second + third)) and full > 0 and s['ignored']['not sampled'] > 0"
  stats "[c['sample of flows'] for c in s['changes of the sample']] == ['1/2'] == [s['sample of flows']]"
  stats "s['flows that left the sample'] > 0"
  grep -q 'sample of flows *1/2 at the end, 1/2 at the rarest, 1 change$' live.txt || { cat live.txt; fail "no rate"; }
  python3 - <<'PY'
import csv, struct
def rows(name): return list(csv.DictReader(open(name)))
def key(row): return tuple(row[c] for c in ('src_addr', 'dst_addr', 'src_port', 'dst_port', 'protocol'))
def told(row, *without): return tuple(v for c, v in row.items() if not c.endswith('_ns') and c not in without)
here, there = {key(r) for r in rows('half.csv')}, {key(r) for r in rows('all.csv')}
got = rows('got.csv')
stayed = sorted(told(r) for r in got if key(r) in here)
assert stayed == sorted(told(r) for r in rows('half_of_twice.csv')), 'what stayed in the sample is not whole'
left = [r for r in got if key(r) in there - here]
assert sorted(told(r, 'end_reason') for r in left) == sorted(told(r, 'end_reason') for r in rows('all.csv') if key(r) not in here)
assert sorted(key(r) for r in left if r['end_reason'] == '5') == sorted(there - here), 'they did not end for lack of resources'

# The rates that the collector was told: samplingInterval (34) in Options Records.
octets, at, rates, template = open('told', 'rb').read(), 0, [], None
while at < len(octets):
    end, set_at = at + struct.unpack_from('>H', octets, at + 2)[0], at + 16
    while set_at < end:
        number, length = struct.unpack_from('>HH', octets, set_at)
        if number == 3 and struct.unpack_from('>H', octets, set_at + 14)[0] == 34:
            template = struct.unpack_from('>H', octets, set_at + 4)[0]
        if number == template: rates.append(struct.unpack_from('>I', octets, set_at + 8)[0])
        set_at += length
    at = end
assert rates[0] == 1 and rates[-1] == 2 and sorted(rates) == rates, rates
PY
done

# What makes no sense is refused before anything is captured.
refused() {
  expect_status 2 timeout 20 "$WARPMETER" live -i capture --duration 1s "$@"
  expect_one_line "--sample-flows auto.*"
}
refused --sample-flows auto -o x.ipfix
refused --sample-flows auto --aggregate -o x.csv
refused --sample-flows auto --biflow --collector udp://127.0.0.1:9 -o x.csv
refused --sample-flows auto --threads 2 --rings 1 -o x.csv
refused --sample-flows auto:1/1 -o x.csv
for wrong in auto: auto:4 auto:1/0 automatic auto1/4; do
  expect_status 2 "$WARPMETER" live -i capture --sample-flows $wrong -o x.csv
  expect_one_line '--sample-flows .*1/1 to 1/1048576'
done
mkdir folder
expect_status 2 "$WARPMETER" live -i folder:folder --sample-flows auto -o x.csv
expect_one_line '--sample-flows auto means nothing for -i folder:PATH'
expect_status 2 "$WARPMETER" extract --sample-flows auto -o x.csv traffic.pcap
expect_one_line '--sample-flows auto is for live'
no_leftovers
