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
  port=$(free_port udp)
  rm -rf flows && mkdir flows
  start nfcapd -w flows -p "$port" -b 127.0.0.1 -S 0 -I test -t 3600
  wait_for 10 udp_port_in_use "$port"
  # shellcheck disable=SC2086
  "$WARPMETER" extract -q --sample-flows 1/4 --collector "udp://127.0.0.1:$port" $SLOWLY $options t.pcap
  read_all "$port"
  stop
  grep -q 'Bad Packets: 0' collector.log || { cat collector.log; fail "nfcapd: bad packets"; }
  nfdump -R flows -o json > flows.json
  same_fields nfdump flows.json expected.csv
done

command -v nfacctd >/dev/null || exit 0
for options in "" "--netflow-v9"; do
  port=$(free_port udp)
  rm -f flows.json
  cat > nfacctd.conf <<CONF
daemonize: false
nfacctd_ip: 127.0.0.1
nfacctd_port: $port
nfacctd_time_new: false
nfacctd_renormalize: true
plugins: print[a]
plugin_pipe_size: 10240000
aggregate[a]: src_host,dst_host,src_port,dst_port,proto,timestamp_start,timestamp_end
print_output[a]: json
print_output_file[a]: $SCRATCH/flows.json
print_output_file_append[a]: true
print_refresh_time[a]: 1
timestamps_since_epoch: true
CONF
  start nfacctd -f nfacctd.conf
  wait_for 10 udp_port_in_use "$port"
  wait_for 10 grep -q 'JSON: setting object handlers' collector.log
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
