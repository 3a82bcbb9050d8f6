#!/usr/bin/env bash
# A file that is no capture, an empty one, one with half a header, a compressed one.
. "$(dirname "$0")/common.sh"
echo "hello, this is a text and no capture at all" > text.pcap
expect_status 1 "$WARPMETER" extract text.pcap
expect_one_line 'text.pcap: not a pcap or pcapng file'
: > empty.pcap
expect_status 1 "$WARPMETER" extract empty.pcap
expect_one_line 'empty.pcap: the file is empty'
head -c 20 "$DATA/first-look.pcap" > half.pcap
expect_status 1 "$WARPMETER" extract half.pcap
expect_one_line 'half.pcap: not a pcap'
gzip -c "$DATA/first-look.pcap" > packed.pcap.gz
expect_status 1 "$WARPMETER" extract packed.pcap.gz
expect_one_line 'gzip-compressed'
