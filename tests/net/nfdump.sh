#!/usr/bin/env bash
# nfcapd receives IPFIX over UDP, every profile, and nfdump shows keys, times, packets, bytes and flags as they were.
# Nothing is out of sequence for it, Templates sent again included. Of the type information sent again with the default
# profile it does not count the Data Records, though RFC 7011 (section 3.1) counts all of them: told once a time at most.
. "$(dirname "$0")/common.sh"
need nfdump nfcapd nfdump
mixed_trace t.pcap
"$WARPMETER" extract -q -o expected.csv t.pcap

# collect NAME OPTIONS...: and how many errors of sequence nfcapd saw, and how often Templates were sent.
collect() {
  by_nfcapd "$@" --stats stats.json
  errors=$(sed -n 's/.*Sequence Errors: \([0-9]*\).*/\1/p' collector.log)
  templates=$(sed -n 's/.*"template messages": \([0-9]*\).*/\1/p' stats.json)
}

for profile in default plain ntop; do
  collect $profile --ipfix-profile $profile
  [ "$errors" = 0 ] || fail "$profile: $errors sequence errors"
  same_fields nfdump flows.json expected.csv
done
collect plain-again --ipfix-profile plain --template-refresh 1ms
[ "$templates" -gt 1 ] || fail "Templates were sent once"
[ "$errors" = 0 ] || fail "$errors sequence errors where Templates are repeated"
same_fields nfdump flows.json expected.csv
collect default-again --template-refresh 10ms
[ "$errors" -le "$templates" ] || fail "$errors sequence errors, $templates messages with Templates"
same_fields nfdump flows.json expected.csv

"$WARPMETER" extract -q --biflow -o expected.csv t.pcap
collect biflow --biflow
same_fields nfdump flows.json expected.csv --only \
  src_addr,dst_addr,src_port,dst_port,protocol,start_ms,end_ms,packets,bytes,tcp_flags,reverse_packets,reverse_bytes
