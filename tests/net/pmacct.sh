#!/usr/bin/env bash
# pmacct's nfacctd receives IPFIX over UDP; told of our own elements, it shows every column as it was.
. "$(dirname "$0")/common.sh"
need pmacct nfacctd
mixed_trace t.pcap
"$WARPMETER" extract -q -o expected.csv t.pcap
# Counters have 4 octets, or 8 in a Flow Record where one does not fit into 4. Raw primitives show both, as hexadecimal
# octets; u_int ones show 0 of a length that is not theirs.
primitive() { echo "name=$1 field_type=$2 len=8 semantics=raw"; }
number=0
own=(payload_bytes data_segments retransmitted_segments retransmitted_bytes duplicate_packets duplicate_bytes
  out_of_order_segments keep_alive_segments missing_bytes zero_window_count)
for column in "${own[@]}"; do
  number=$((number + 1))
  primitive $column 32473:$number
done > own.lst
primitive stray_segments 32473:13 >> own.lst
{
  echo "name=end_reason field_type=136 len=1 semantics=u_int"
  primitive syn_count 218
  primitive fin_count 219
  primitive rst_count 220
} > iana.lst
keys=src_host,dst_host,src_port,dst_port,proto,tcpflags,timestamp_start,timestamp_end
compared=src_addr,dst_addr,src_port,dst_port,protocol,start_ms,end_ms,packets,bytes,tcp_flags
# Of UDP and ICMP it shows 0 where a record does not have the element: TCP alone is compared there.
awk -F, 'NR == 1 || $5 == 6' expected.csv > tcp.csv
for profile in default plain; do
  port=$(free_port udp)
  if [ $profile = default ]; then cat iana.lst own.lst; else cat iana.lst; fi > primitives.lst
  names=$(sed 's/^name=\([^ ]*\).*/\1/' primitives.lst | paste -sd,)
  start_nfacctd "$port" $profile.json "$keys,$names" "aggregate_primitives: $SCRATCH/primitives.lst"
  "$WARPMETER" extract -q --collector "udp://127.0.0.1:$port" $SLOWLY --ipfix-profile $profile t.pcap
  complete() { [ "$(wc -l < $profile.json)" -ge "$(rows expected.csv)" ]; }
  wait_for 30 complete
  stop
  same_fields pmacct $profile.json expected.csv --only $compared
  grep '"ip_proto": "tcp"' $profile.json > tcp.json
  same_fields pmacct tcp.json tcp.csv --only "$compared,$names"
done
