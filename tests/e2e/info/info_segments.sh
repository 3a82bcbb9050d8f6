# info of a set says what it was decoded from, and reads all of it.
. "$(dirname "$0")/../common.sh"
"$WARPMETER" decode -q --key-vlan --partitions 2 -o set "$DATA/first-look.pcap" tcp
"$WARPMETER" info set >text
for line in "format *segments, 2 of 2 parts" "captures .*first-look.pcap" "options *--key-vlan, filter: tcp" "packets *300" "link types *1 .EN10MB.$"; do
  grep -qE "$line" text || { cat text >&2; fail "no line $line"; }
done
"$WARPMETER" info --json set | python3 -c '
import json, sys
facts = json.load(sys.stdin)
assert facts["format"] == "segments" and len(facts["files"]) == facts["partitions"] == 2, facts
assert facts["counters"]["frames"] == 300 and facts["options"]["filter"] == "tcp" and not facts["findings"]["damage"], facts'

# Damage of the capture is remembered; that of a segment file is an error.
head -c 20000 "$DATA/first-look.pcap" >short.pcap
expect_status 3 "$WARPMETER" decode -q -o of_damaged short.pcap
expect_one_line "short.pcap: damaged at byte .* in the segment files"
expect_status 3 "$WARPMETER" info of_damaged
grep -q "short.pcap: damaged at byte" stderr.txt || fail "the damage is not told"
python3 - set/part-01-of-02.segments <<'PY'
import sys
bytes_of = bytearray(open(sys.argv[1], 'rb').read())
bytes_of[200] ^= 1
open(sys.argv[1], 'wb').write(bytes_of)
PY
for command in info "extract -o flows.csv"; do
  expect_status 1 "$WARPMETER" $command set
  expect_one_line "set/part-01-of-02.segments: segment file is damaged"
done
[ ! -e flows.csv ] || fail "an output of damaged segments"
