#!/usr/bin/env bash
# --decapsulate: packets in tunnels give the Flow Records that they give without; otherwise those of the tunnel.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 3000 --flows 20 --vlan 0 -o plain.pcap
"$WARPMETER" extract -q -o wanted.csv plain.pcap
for tunnel in ipip gre vxlan gtp l2tp nested linux-vxlan gpe wccp aruba etherip mpls mpls-in-udp srv6-ethernet tzsp capwap \
  lisp; do
  python3 "$SOURCE/tests/e2e/wrap_frames.py" tunnel $tunnel plain.pcap $tunnel.pcap
  "$WARPMETER" extract -q --decapsulate --stats stats.json -o got.csv $tunnel.pcap
  cmp wanted.csv got.csv || fail "$tunnel"
  grep -q '"taken out of tunnels": 3000' stats.json || fail "$tunnel: not counted"
  "$WARPMETER" extract -q -o outer.csv $tunnel.pcap
  [ "$(tail -n +2 outer.csv | grep -cv '^0.0.0.0,0.0.0.0,')" = 0 ] || fail "$tunnel: not metered by its outer header"
done
"$WARPMETER" extract -q --decapsulate plain.pcap -o got.csv
cmp wanted.csv got.csv || fail "packets outside of tunnels are others"

# Tunnels behind other ports: every command that looks into tunnels takes them.
python3 "$SOURCE/tests/e2e/wrap_frames.py" tunnel vxlan-5000 plain.pcap chosen.pcap
for ports in 5000 4789,5000 +5000; do
  "$WARPMETER" extract -q --decapsulate --vxlan-port $ports -o got.csv chosen.pcap
  cmp wanted.csv got.csv || fail "--vxlan-port $ports"
done
"$WARPMETER" extract -q --decapsulate --vxlan-port 5000 -o got.csv vxlan.pcap
"$WARPMETER" extract -q -o outer.csv vxlan.pcap
cmp outer.csv got.csv || fail "--vxlan-port 5000 leaves the usual ports"
"$WARPMETER" extract -q --decapsulate --vxlan-port +5000 -o got.csv vxlan.pcap
cmp wanted.csv got.csv || fail "--vxlan-port +5000 takes the usual ports away"

"$WARPMETER" decode -q --hash-seed same --decapsulate --vxlan-port +5000 -o set chosen.pcap
"$WARPMETER" extract -q -o got.csv set
cmp wanted.csv got.csv || fail "decode --vxlan-port"
"$WARPMETER" extract -q --decapsulate --vxlan-port 5000,8472,4789 -o got.csv set
"$WARPMETER" info set > info.txt
grep -qE '^  options +--decapsulate, --vxlan-port 4789,5000,8472$' info.txt || fail "info does not tell the ports of the set"
for option in --decapsulate "--decapsulate --vxlan-port 5001"; do
  "$WARPMETER" decode -q --hash-seed same $option -o "other$option" chosen.pcap
  expect_status 1 "$WARPMETER" extract -o /dev/null set "other$option"
  grep -q 'were decoded with different options' stderr.txt || fail "sets of different ports are one trace"
done
expect_status 2 "$WARPMETER" extract -o /dev/null --decapsulate --vxlan-port 5000 set
grep -qx 'warpmeter: ports of tunnels, such as --vxlan-port: these segments were decoded with others' stderr.txt ||
  fail "segments of other ports are taken"

for command in reassemble memory; do
  for capture in plain chosen; do
    option=$([ $capture = plain ] || echo --decapsulate --vxlan-port 5000)
    "$WARPMETER" $command -q $option -o $command-$capture.json $capture.pcap
  done
  cmp $command-plain.json $command-chosen.json || fail "$command --vxlan-port"
done

refused() {  # LIST...
  for list; do
    expect_status 2 "$WARPMETER" extract -o /dev/null --decapsulate "--geneve-port=$list" plain.pcap
    grep -qE "^warpmeter: --geneve-port.*" stderr.txt && [ "$(wc -l < stderr.txt)" -le 2 ] ||
      { cat stderr.txt; fail "--geneve-port '$list' is taken"; }
  done
}
refused '' + , 1, ,1 0 65536 99999999999999 -1 ++1 '1 2' vxlan 0x12b5 1,+2 1.5
for command in "extract -o /dev/null" "live -i lo -o /dev/null" "decode -o never" "reassemble -o never.json" memory; do
  for kind in vxlan vxlan-gpe geneve gtp-u teredo l2tp tzsp capwap gre-udp mpls-udp lisp; do
    expect_status 2 "$WARPMETER" $command --$kind-port 5000 $([[ $command == live* ]] || echo plain.pcap)
    grep -q -- "--decapsulate" stderr.txt || { cat stderr.txt; fail "$command --$kind-port without --decapsulate"; }
  done
done
