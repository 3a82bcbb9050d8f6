#!/usr/bin/env bash
# Several rings of AF_PACKET share packets by hash, by RX queue or by CPU: the Flow Records are those of extract, each packet
# comes to one ring, and the first line says how they are shared.
. "$(dirname "$0")/live/wire.sh"
ip link delete sender
make_wire 9100 2
"$TRAFFIC_GEN" --packets $((20000 / SCALE)) --mean-packets 20 --vlan 0 -o traffic.pcap
"$WARPMETER" extract -q --duplicate-window 0 -o expected.csv traffic.pcap
for by in hash queue cpu auto; do
  start_live -i capture --ring packet --rings 2 --fanout $by --duplicate-window 0 -o got.csv
  sent=$(taskset -c 0 python3 "$HERE/live/send_frames.py" sender traffic.pcap)
  end_live 0
  stats "offered == received == $sent and len(rings) == 2"
  case $by in
    hash | queue) stats "all(r['received'] > $sent / 5 for r in rings)" ;;
    cpu) stats "sorted(r['received'] for r in rings) == [0, $sent]" ;;  # who sends over veth receives as well
  esac
  same_but_times expected.csv got.csv
done
start_live -i capture --ring packet --rings 2 --fanout queue -o got.csv
end_live 0
grep -q 'AF_PACKET, 2 rings of [^,]*, shared by RX queue' live.txt || { cat live.txt; fail "fanout is not told"; }

expect_status 2 "$WARPMETER" live -i capture --ring packet --fanout queue -o flows.csv
expect_one_line 'fanout shares packets between several rings of AF_PACKET: with --ring packet and --rings 2 or more'
expect_status 2 "$WARPMETER" live -i capture --ring xdp --rings 2 --fanout queue -o flows.csv
expect_one_line 'fanout shares packets between several rings of AF_PACKET'
expect_status 2 "$WARPMETER" live -i shm:feeder --fanout queue -o flows.csv
expect_one_line 'fanout means nothing for -i shm:NAME'
no_leftovers
