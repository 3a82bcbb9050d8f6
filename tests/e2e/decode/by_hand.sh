#!/usr/bin/env bash
# examples/by_hand: decode each capture, meter each part, merge, by make: the bytes of `warpmeter extract`. What is done is not
# done again, and a capture that comes later is decoded alone.
. "$(dirname "$0")/../common.sh"
command -v make >/dev/null || { echo "make runs this"; exit 77; }
mkdir captures job
"$TRAFFIC_GEN" --packets 20000 --flows 300 -o whole.pcap
python3 "$SOURCE/tests/e2e/cut_capture.py" whole.pcap 4 captures/{}.pcap
mv captures/3.pcap later.pcap
run() { make -s -j2 -f "$SOURCE/examples/by_hand/Makefile" CAPTURES="$PWD/captures" WORK=job OUT=flows.csv PARTS=4 WARPMETER="$WARPMETER" "$@"; }
run
"$WARPMETER" extract -q -o expected.csv captures/
cmp flows.csv expected.csv
[ -z "$(run -n | grep -v '^make' || true)" ] || fail "is done, and is done again: $(run -n)"

mv later.pcap captures/3.pcap
[ "$(run -n | grep -c ' decode ')" = 1 ] || fail "$(run -n)"
run
"$WARPMETER" extract -q -o expected.csv captures/
cmp flows.csv expected.csv

# Captures that overlap in time are told; they are named together.
cp captures/1.pcap captures/1b.pcap
! run 2>said || fail "sets overlap"
grep -q 'decoded together' said || { cat said >&2; fail "not told"; }
no_leftovers
