#!/usr/bin/env bash
# `warpmeter info FILE` tells what a capture holds (capinfos and tshark say the same of this one); several files have a
# total, which is their order too; --json gives an object a file; an unknown link type is no error.
. "$(dirname "$0")/../common.sh"
"$WARPMETER" info "$DATA/first-look.pcap" > one.txt
while read -r expected; do grep -qE "^  $expected" one.txt || { cat one.txt; fail "expected $expected"; }; done <<'LINES'
format +pcap, little-endian$
size +41390 bytes
link type +1 .*at most 65535 bytes, nanoseconds$
packets +300$
bytes on the wire +36566 
bytes captured +36566 .*all packets whole
packet length +121.9 bytes on average, 60 to 266$
earliest packet +2023-11-14 22:13:20.000032560 UTC .1700000000000032560 ns
latest packet +2023-11-14 22:13:20.281670400 UTC .1700000000281670400 ns
duration +0.281637840 s$
average rate +1.07 k packets/s, 1.04 Mbit/s$
time order +kept$
IP +IPv4 206, IPv6 94$
protocols +TCP 241, UDP 25, ICMP 34$
in a VLAN +57$
not metered +none$
LINES
"$WARPMETER" info --threads 3 - < <(cat "$DATA/first-look.pcap") | tail -n +4 > piped.txt
cmp <(tail -n +4 one.txt) piped.txt
gzip -c "$DATA/first-look.pcap" > packed
"$WARPMETER" info packed > packed.txt
grep -qE "^  format +pcap, little-endian, gzip-compressed$" packed.txt
cmp <(tail -n +4 one.txt) <(tail -n +4 packed.txt)
cp "$DATA/first-look.pcap" copy.pcap
"$WARPMETER" info "$DATA/first-look.pcap" copy.pcap > two.txt
tail -n +"$(grep -n '2 files' two.txt | cut -d: -f1)" two.txt > total.txt
grep -qE '^  packets +600$' total.txt
grep -qE '^  time order +1 packet earlier than the one before, by 0.281637840 s' total.txt
{ head -c 20 "$DATA/first-look.pcap"; printf '\x93\0\0\0'; tail -c +25 "$DATA/first-look.pcap"; } > user0.pcap
"$WARPMETER" info --json "$DATA/first-look.pcap" user0.pcap > files.json
python3 - <<'PY'
import json
known, unknown = map(json.loads, open('files.json'))
assert known['packets'] == unknown['packets'] == 300
assert known['latest_ns'] == unknown['latest_ns'] == 1700000000281670400
assert (known['tcp'], known['metered'], unknown['tcp'], unknown['metered']) == (241, 300, 0, 0)
assert unknown['ignored']['unknown link type'] == 300
assert unknown['interfaces'][0]['link_type'] == 147 and not unknown['interfaces'][0]['decoded']
PY
