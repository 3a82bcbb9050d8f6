#!/usr/bin/env bash
# SIGHUP, once or more often, finishes the output as SIGTERM does: exit status 130; under nohup it is ignored.
. "$(dirname "$0")/../common.sh"
capture=$DATA/first-look.pcap
"$WARPMETER" extract -q -o whole.csv "$capture"
mkfifo pipe
# hung_up COMMAND...: the whole capture, then SIGHUP twice; the pipe stays open until then.
hung_up() {
  "$@" < pipe 2> stderr.txt & meter=$!
  { cat "$capture"; exec sleep 1000; } > pipe & feeder=$!
  wait_for 60 starves $meter $feeder
  kill -HUP $meter; kill -HUP $meter 2>/dev/null || true
  kill $feeder; wait $feeder 2>/dev/null || true
  status=0; wait $meter || status=$?
}
hung_up env --default-signal=HUP "$WARPMETER" extract -o out.csv --stats stats.json -
[ $status = 130 ] || fail "exit status $status"
metered=$(sed -n 's/.*"packets metered": \([0-9]*\).*/\1/p' stats.json)
[ "$metered" = "$(awk -F, 'NR > 1 { n += $8 } END { print n }' out.csv)" ] && [ "$metered" -gt 0 ] || fail "packets: $metered"
hung_up env --ignore-signal=HUP "$WARPMETER" extract -q -o out.csv -
[ $status = 0 ] || fail "exit status $status where SIGHUP was ignored"
cmp out.csv whole.csv
no_leftovers
