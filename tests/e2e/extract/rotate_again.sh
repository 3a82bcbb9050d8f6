#!/usr/bin/env bash
# --rotate SIZE again, with less to write: files of the run before stay, and one line says so for each output, whatever
# else is quiet; the exit status is as it was. By time, several runs may well fill one set.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 20000 --mean-packets 6 -o large.pcap
"$TRAFFIC_GEN" --packets 5000 --mean-packets 6 -o small.pcap
mkdir out
extract() { "$WARPMETER" extract -q --rotate 200K -o out/r.csv -o out/s.json "$@"; }
expect_status 0 extract large.pcap
[ ! -s stderr.txt ] || fail "nothing was there before: $(cat stderr.txt)"
before=$(ls out/r.* | wc -l)
expect_status 0 extract large.pcap
[ ! -s stderr.txt ] || fail "all were replaced: $(cat stderr.txt)"
mkdir new
"$WARPMETER" extract -q --rotate 200K -o new/r.csv small.pcap
after=$(ls new | wc -l)
first=$(printf 'out/r.%06d.csv' $((after + 1)))
[ "$after" -lt $((before - 1)) ] || fail "too few files: $before, then $after"
expect_status 0 extract small.pcap
[ "$(grep -c . stderr.txt)" = 2 ] || fail "$(cat stderr.txt)"
wanted="warpmeter: out/r.csv: $((before - after)) files of an earlier run are still there, from $first on; warpmeter show out/r.csv reads them too"
[ "$(head -1 stderr.txt)" = "$wanted" ] || fail "$(cat stderr.txt)"
grep -q '^warpmeter: out/s.json: [0-9]* files of an earlier run are still there, from out/s.0' stderr.txt || fail "$(cat stderr.txt)"
[ "$(ls out/r.* | wc -l)" = "$before" ] || fail "files of the user are gone"

# One file, of a number beyond six digits. `show` reads the file of that very name, if there is one.
mkdir long
echo mine | tee long/r.1000000.csv > long/r.csv
expect_status 0 "$WARPMETER" extract -q --rotate 10M -o long/r.csv small.pcap
expect_one_line 'long/r.csv: 1 file of an earlier run is still there, from long/r.1000000.csv on$'
[ "$(cat long/r.1000000.csv)" = mine ] || fail "a file of the user is gone"

mkdir time
"$WARPMETER" extract -q --rotate 100ms -o time/r.csv large.pcap
expect_status 0 "$WARPMETER" extract -q --rotate 100ms -o time/r.csv small.pcap
[ ! -s stderr.txt ] || fail "$(cat stderr.txt)"
no_leftovers
