#!/usr/bin/env bash
# The same packets give the same Flow Records whatever link they were captured on.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 3000 --flows 20 --vlan 0 -o ethernet.pcap
"$WARPMETER" extract -q -o wanted.csv ethernet.pcap
[ "$(rows wanted.csv)" -ge 20 ] || fail "no traffic to speak of"
for link in 0 6 7 8 9 10 12 14 50 51 100 101 104 105 106 107 108 109 113 117 119 127 129 163 178 192 197 226 239 242 258 274 276 281 282 284 285; do
  python3 "$SOURCE/tests/e2e/wrap_frames.py" link $link ethernet.pcap link$link.pcap
  "$WARPMETER" extract -q -o got.csv link$link.pcap
  cmp wanted.csv got.csv || fail "link type $link"
done
# And behind other tags and headers, of Ethernet and of others.
for way in vntag etag hsr rtag cmd macsec arista nsh pbb fabricpath isl pseudowire multilink bridged amsdu mesh; do
  python3 "$SOURCE/tests/e2e/wrap_frames.py" way $way ethernet.pcap $way.pcap
  "$WARPMETER" extract -q -o got.csv $way.pcap
  cmp wanted.csv got.csv || fail "$way"
done

# And a filter asks about the packets.
"$WARPMETER" extract -q -o wanted.csv ethernet.pcap tcp and portrange 1-1000
"$WARPMETER" extract -q -o got.csv link0.pcap tcp and portrange 1-1000
cmp wanted.csv got.csv
