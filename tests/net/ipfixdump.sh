#!/usr/bin/env bash
# libfixbuf's ipfixDump, which learns our elements from the type information in the stream, shows every field as it was:
# from a file, and from what arrived over UDP and TCP.
. "$(dirname "$0")/common.sh"
need libfixbuf-tools ipfixDump
mixed_trace t.pcap
"$WARPMETER" extract -q -o expected.csv t.pcap
"$WARPMETER" extract -q -o file.ipfix t.pcap
for transport in udp tcp; do
  port=$(free_port $transport)
  start python3 "$HERE/receive.py" $transport "$port" $transport.ipfix
  if [ $transport = udp ]; then wait_for 10 udp_port_in_use "$port"; else wait_for 10 grep -q listening collector.log; fi
  "$WARPMETER" extract -q --collector "$transport://127.0.0.1:$port" $SLOWLY t.pcap
  if [ $transport = udp ]; then read_all "$port"; stop TERM; else wait "$COLLECTOR"; fi
done
for source in file udp tcp; do
  ipfixDump --rfc5610 --in $source.ipfix > $source.txt 2>$source.err || { cat $source.err; fail "ipfixDump of $source"; }
  same_fields ipfixdump $source.txt expected.csv
done
"$WARPMETER" extract -q --biflow -o expected.csv t.pcap
"$WARPMETER" extract -q --biflow -o file.ipfix t.pcap
ipfixDump --rfc5610 --in file.ipfix > biflow.txt
same_fields ipfixdump biflow.txt expected.csv --biflow
