#!/usr/bin/env bash
# A captured length of 0x7ffffff0 ends that file; the files after it are read all the same.
. "$(dirname "$0")/../common.sh"
cp "$DATA/first-look.pcap" a.pcap
printf '\0\0\0\0\0\0\0\0\xf0\xff\xff\x7f\xf0\xff\xff\x7f' >> a.pcap
expect_status 3 "$WARPMETER" extract -q -o out.csv --stats stats.json a.pcap "$DATA/first-look.pcap"
expect_one_line "a.pcap: damaged at byte $(stat -c %s "$DATA/first-look.pcap"): captured length 2147483632"
packets=$("$WARPMETER" extract -q --stats one.json -o /dev/null "$DATA/first-look.pcap"; sed -n 's/.*"packets read": \([0-9]*\).*/\1/p' one.json)
grep -q "\"packets read\": $((2 * packets))" stats.json || fail "the second file was not read"
