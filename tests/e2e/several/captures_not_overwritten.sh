#!/usr/bin/env bash
# No output of another kind takes the place of a capture or a segment file, though the run does not read it, as where two
# names are mixed up: exit status 2 and one line, before anything is written. Also where the run fails for another reason.
. "$(dirname "$0")/../common.sh"
cp "$DATA/first-look.pcap" t.pcap
cp t.pcap a.json
"$WARPMETER" coalesce -q t.pcap -o b.pcapng; mv b.pcapng b.json
gzip -c t.pcap > c.json.gz
"$WARPMETER" decode -q -o set t.pcap
mkdir empty
cp set/part-01-of-16.segments part.json
"$WARPMETER" extract -q -o flows.csv t.pcap
kept() {  # FILE STATUS PATTERN COMMAND...
  cp "$1" before
  expect_status "$2" "${@:4}"
  expect_one_line "$3"
  cmp "$1" before || fail "overwritten: ${*:4}"
}
for capture in a.json b.json c.json.gz; do
  refused="^warpmeter: $capture: is a capture, and is not overwritten; remove it first, if it may go\$"
  kept $capture 2 "$refused" "$WARPMETER" report -q -o $capture flows.csv
  kept $capture 2 "$refused" "$WARPMETER" extract -q -o $capture t.pcap
  kept $capture 2 "$refused" "$WARPMETER" extract -q -o new.csv --stats $capture t.pcap
  kept $capture 2 "$refused" "$WARPMETER" show -q -o $capture flows.csv
  kept $capture 2 "$refused" "$WARPMETER" merge -q -o $capture flows.csv
  kept $capture 2 "$refused" "$WARPMETER" decode -q -o new --stats $capture t.pcap
  kept $capture 2 "$refused" "$WARPMETER" reassemble -q -o $capture t.pcap
  kept $capture 2 "$refused" "$WARPMETER" policy explain stock --svg $capture
  kept $capture 1 '^warpmeter: empty: no capture files' "$WARPMETER" extract -q -o new.csv --stats $capture empty
done
kept a.json 2 '^warpmeter: a.json: is a capture' "$WARPMETER" memory -q -o a.json t.pcap
kept a.json 2 '^warpmeter: a.json: is a capture' "$WARPMETER" coalesce -q --dry-run --stats a.json t.pcap
kept part.json 2 '^warpmeter: part.json: is a segment file, and is not overwritten' "$WARPMETER" extract -q -o part.json t.pcap
[ ! -e new.csv ] && [ ! -e new ] || fail "something was written"

# A capture may take the place of one, and what is none goes as ever.
cp t.pcap old.pcap
"$WARPMETER" coalesce -q t.pcap -o old.pcap
! cmp -s old.pcap t.pcap || fail "not replaced"
for i in 1 2; do
  "$WARPMETER" extract -q -o flows.csv -o flows.csv.gz --stats stats.json t.pcap
  "$WARPMETER" report -q -o page.html flows.csv
done
no_leftovers
