#!/usr/bin/env bash
# Damaged IPFIX files: what can be read is shown, the damage is told with its byte offset, exit status 3. What is no IPFIX
# at all: exit status 1, and nothing is written.
. "$(dirname "$0")/../common.sh"
need_ipfix
"$TRAFFIC_GEN" --packets 20000 --mean-packets 6 -o t.pcap
"$WARPMETER" extract -q -o all.ipfix t.pcap
"$WARPMETER" extract -q -o all.csv t.pcap
# Damages a copy, and says at which byte its last message begins.
python3 - > offset.txt <<'PY'
import struct
whole = open('all.ipfix', 'rb').read()
messages, at = [], 0
while at < len(whole):
    messages.append(at)
    at += struct.unpack('>H', whole[at + 2:at + 4])[0]
last = messages[-1]
def write(name, *changes):
    data = bytearray(whole)
    for at, number in changes: data[at:at + 2] = struct.pack('>H', number)
    open(name, 'wb').write(data)
open('cut.ipfix', 'wb').write(whole[:-7])
open('headless.ipfix', 'wb').write(whole[last:])
write('version.ipfix', (last, 9))
write('unknown.ipfix', (last + 16, 999))
write('set.ipfix', (last + 18, 0xfff0))
write('message.ipfix', (last + 2, 3))
print(last)
PY
offset=$(cat offset.txt)
damaged() {
  local file=$1 wanted=$2
  expect_status 3 "$WARPMETER" show -q "$file" -o shown.csv
  expect_one_line "$file: damaged at byte $wanted"
}
for file in cut version set message; do
  case $file in
    cut) wanted='an IPFIX Message is cut short' ;;
    version) wanted='version 9 where an IPFIX Message should begin' ;;
    set) wanted='a Set of 65520 octets where its message has' ;;
    message) wanted='.*' ;;
  esac
  damaged $file.ipfix "$offset: $wanted"
  [ "$(rows shown.csv)" -gt 0 ] || fail "$file: nothing is shown"
  cmp shown.csv <(head -n "$(wc -l < shown.csv)" all.csv)
done
# Of the message with the unknown Set all others are shown.
damaged unknown.ipfix "$offset: Data Set for Template 999, which the file does not define, skipped"
[ "$(rows shown.csv)" -lt "$(rows all.csv)" ] || fail "the unknown Set is shown"
[ "$(tail -1 shown.csv)" = "$(tail -1 all.csv)" ] || fail "what follows the unknown Set is lost"
# Without its Templates nothing can be shown.
damaged headless.ipfix '0: Data Set for Template [0-9]+, which the file does not define, skipped; and [0-9]+ more'
[ "$(rows shown.csv)" = 0 ] || fail "rows out of nothing"
# The next file is read all the same.
expect_status 3 "$WARPMETER" show -q cut.ipfix all.ipfix -o shown.csv
[ "$(rows shown.csv)" -gt "$(rows all.csv)" ] || fail "the second file is lost"
rm shown.csv

head -c 4000 t.pcap | tail -c 3000 > noise.ipfix
head -c 10 all.ipfix > stump.ipfix
: > empty.ipfix
for file in noise stump empty; do
  expect_status 1 "$WARPMETER" show $file.ipfix -o shown.csv
  expect_one_line "^warpmeter: $file.ipfix: no"
  [ ! -e shown.csv ] || fail "there is an output"
done
no_leftovers
