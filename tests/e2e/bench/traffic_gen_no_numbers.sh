#!/usr/bin/env bash
# traffic_gen takes no value that is no number, and writes nothing then.
. "$(dirname "$0")/../common.sh"
for option in --start --rate --mean-packets --loss --retransmit-wait; do
  for value in nan -nan x 3m -1 inf; do
    expect_status 2 "$TRAFFIC_GEN" --packets 10 "$option=$value" -o none.pcap
    grep -q -e "$option" stderr.txt || fail "$option $value: $(cat stderr.txt)"
    [ ! -e none.pcap ] || fail "$option $value: there is a capture"
  done
done
"$TRAFFIC_GEN" --packets 10 --start 3.5 -o some.pcap
[ -s some.pcap ] || fail "no capture"
