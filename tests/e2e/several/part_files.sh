#!/usr/bin/env bash
# What is beside an output is neither followed nor destroyed, whatever its name; the rights of a file that is replaced
# stay; of two runs with one output the last one stays, whole.
. "$(dirname "$0")/../common.sh"
capture=$DATA/first-look.pcap
"$WARPMETER" extract -q -o whole.csv "$capture"

echo mine > precious; ln -s precious out.csv.part
echo mine > out.json.part; mkdir out.html.part
"$WARPMETER" extract -q -o out.csv "$capture"
"$WARPMETER" show -q -o out.json whole.csv
"$WARPMETER" report -o out.html whole.csv
cmp out.csv whole.csv
[ "$(cat precious)" = mine ] || fail "a link was followed"
[ "$(readlink out.csv.part)" = precious ] || fail "a link was destroyed"
[ "$(cat out.json.part)" = mine ] || fail "a file was destroyed"
[ -d out.html.part ] || fail "a folder was destroyed"
rm -r ./*.part

(umask 027; "$WARPMETER" extract -q -o new.csv "$capture"; touch old.csv; chmod 606 old.csv
 "$WARPMETER" extract -q -o old.csv "$capture")
[ "$(stat -c %a new.csv)" = 640 ] || fail "a new file has the rights $(stat -c %a new.csv)"
[ "$(stat -c %a old.csv)" = 606 ] || fail "a file that was there now has the rights $(stat -c %a old.csv)"

mkdir elsewhere; ln -s elsewhere/there.csv later.csv
"$WARPMETER" extract -q -o later.csv "$capture"
[ -L later.csv ] && cmp elsewhere/there.csv whole.csv || fail "a link to a file yet to be was replaced"

"$WARPMETER" extract -q -o - "$capture" > appended; "$WARPMETER" extract -q -o /dev/stdout "$capture" >> appended
cat whole.csv whole.csv | cmp - appended

# Two runs wait for their packets at the same time; the second to finish stays.
mkfifo one two
"$WARPMETER" extract -q -o both.csv - < one & first=$!
"$WARPMETER" extract -q --aggregate -o both.csv - < two & second=$!
exec 3> one 4> two
cat "$capture" >&3; cat "$capture" >&4
sleep 0.3
exec 3>&-; wait $first
cmp both.csv whole.csv
exec 4>&-; wait $second
"$WARPMETER" extract -q --aggregate "$capture" | cmp - both.csv
no_leftovers

# A file that is mounted, as into a container, cannot be replaced: known before anything is metered.
touch mounted.csv
mount --bind whole.csv mounted.csv 2>/dev/null || exit 0
trap 'umount "$SCRATCH/mounted.csv"; rm -rf "$SCRATCH"' EXIT
expect_status 1 "$WARPMETER" extract -q -o mounted.csv missing.pcap
expect_one_line 'mounted.csv: cannot be written: Device or resource busy'
