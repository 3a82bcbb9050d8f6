#!/usr/bin/env bash
# --sample-flows tells collectors its rate, by IPFIX and NetFlow v9: nfcapd scales packets and bytes by it, and nfacctd does
# where it is told to (nfacctd_renormalize).
. "$(dirname "$0")/common.sh"
need nfdump nfcapd nfdump
mixed_trace t.pcap
"$WARPMETER" extract -q --sample-flows 1/4 -o sampled.csv t.pcap
python3 - <<'PY'
import csv
rows = list(csv.DictReader(open('sampled.csv')))
for row in rows:
    for column in ('packets', 'bytes'): row[column] = 4 * int(row[column])
with open('expected.csv', 'w') as to:
    writer = csv.DictWriter(to, rows[0])
    writer.writeheader()
    writer.writerows(rows)
PY
for options in "" "--ipfix-profile plain" "--netflow-v9"; do
  # shellcheck disable=SC2086
  by_nfcapd flows --sample-flows 1/4 $options
  same_fields nfdump flows.json expected.csv
done

command -v nfacctd >/dev/null || exit 0
for options in "" "--netflow-v9"; do
  port=$(free_port udp)
  start_nfacctd "$port" flows.json src_host,dst_host,src_port,dst_port,proto,timestamp_start,timestamp_end \
    'nfacctd_renormalize: true'
  # shellcheck disable=SC2086
  "$WARPMETER" extract -q --sample-flows 1/4 --collector "udp://127.0.0.1:$port" $SLOWLY $options t.pcap
  # Of NetFlow v9 it makes one of ICMP types that come at the same time: sums alone are compared.
  complete() { [ -s flows.json ] && python3 -c "
import csv, json
shown = [json.loads(line) for line in open('flows.json')]
rows = list(csv.DictReader(open('expected.csv')))
for column in ('packets', 'bytes'):
    assert sum(flow[column] for flow in shown) == sum(int(row[column]) for row in rows)" 2>/dev/null; }
  wait_for 30 complete
  stop
done
