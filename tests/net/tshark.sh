#!/usr/bin/env bash
# tshark's dissector shows every field of an IPFIX file as it was, our own elements by number and octets, to the ns.
. "$(dirname "$0")/common.sh"
need tshark tshark
mixed_trace t.pcap
"$WARPMETER" extract -q -o expected.csv t.pcap
columns=src_addr,dst_addr,src_port,dst_port,protocol,start_ns,end_ns,packets,bytes,syn_count,fin_count,rst_count,tcp_flags,end_reason
for profile in default plain; do
  "$WARPMETER" extract -q -o $profile.ipfix --ipfix-profile $profile t.pcap
  tshark -r $profile.ipfix -T pdml 2>/dev/null > $profile.pdml
  if grep -q 'Malformed' $profile.pdml; then fail "malformed for tshark"; fi
done
same_fields tshark default.pdml expected.csv
same_fields tshark plain.pdml expected.csv --only $columns
