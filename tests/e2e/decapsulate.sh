#!/usr/bin/env bash
# --decapsulate: packets in tunnels give the Flow Records that they give without; otherwise those of the tunnel.
. "$(dirname "$0")/common.sh"
"$TRAFFIC_GEN" --packets 3000 --flows 20 --vlan 0 -o plain.pcap
"$WARPMETER" extract -q -o wanted.csv plain.pcap
for tunnel in ipip gre vxlan gtp l2tp nested; do
  python3 "$SOURCE/tests/e2e/wrap_frames.py" tunnel $tunnel plain.pcap $tunnel.pcap
  "$WARPMETER" extract -q --decapsulate --stats stats.json -o got.csv $tunnel.pcap
  cmp wanted.csv got.csv || fail "$tunnel"
  grep -q '"taken out of tunnels": 3000' stats.json || fail "$tunnel: not counted"
  "$WARPMETER" extract -q -o outer.csv $tunnel.pcap
  [ "$(tail -n +2 outer.csv | grep -cv '^0.0.0.0,0.0.0.0,')" = 0 ] || fail "$tunnel: not metered by its outer header"
done
"$WARPMETER" extract -q --decapsulate plain.pcap -o got.csv
cmp wanted.csv got.csv || fail "packets outside of tunnels are others"
