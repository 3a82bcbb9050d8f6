#!/usr/bin/env bash
# A collector that is not there. Over TCP, or without such a host, that is known before the work: one line, exit status 1
# and no output. Over UDP it shows while records are sent: one line with the count, and the file beside it is complete.
. "$(dirname "$0")/../common.sh"
need_ipfix
capture=$DATA/first-look.pcap
"$WARPMETER" extract -q -o expected.csv "$capture"

port=$(free_port tcp)
expect_status 1 "$WARPMETER" extract --collector "tcp://127.0.0.1:$port" -o flows.csv "$capture"
expect_one_line "^warpmeter: collector tcp://127.0.0.1:$port: cannot connect: Connection refused\$"
expect_status 1 "$WARPMETER" extract --collector udp://no-such-host.invalid -o flows.csv "$capture"
expect_one_line 'collector udp://no-such-host.invalid:4739: host not found: '
[ ! -e flows.csv ] || fail "there is an output"

port=$(free_port udp)
for protocol in '' --netflow-v9; do
  rm -f flows.csv
  # shellcheck disable=SC2086
  expect_status 1 "$WARPMETER" extract -q --collector "udp://127.0.0.1:$port" $protocol --stats stats.json \
    -o flows.csv "$capture"
  expect_one_line "^warpmeter: collector udp://127.0.0.1:$port: nobody listen.* [0-9]+ messages were refused\$"
  cmp flows.csv expected.csv
  python3 - <<'PY'
import json
stats = json.load(open('stats.json'))
assert stats['exit status'] == 1 and stats['exported']['refused messages'] > 0, stats
PY
done
no_leftovers
