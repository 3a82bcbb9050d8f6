#!/usr/bin/env bash
# A folder means the files of Flow Records in it, of whatever format and name, in name order; what else lies there is
# passed over and counted, what cannot be read is named (exit status 3), and nothing of it is left out silently.
. "$(dirname "$0")/../common.sh"
mkdir mixed
"$WARPMETER" info > info.txt
formats='csv json'
! grep -q 'IPFIX *built in' info.txt || formats+=' ipfix'
! grep -q 'Parquet *built in' info.txt || formats+=' parquet'
for format in $formats; do
  "$WARPMETER" extract -q --stats stats.json -o "flows.$format" "$DATA/first-look.pcap"
  mv "flows.$format" "mixed/of $format"
done
count=$(ls mixed | wc -l)
each=$(rows "mixed/of csv")
cp "$DATA/first-look.pcap" mixed/
mv stats.json mixed/
cp "mixed/of csv" mixed/later.csv.part
echo 'What is here: flows' > mixed/README
ln -s 'of csv' mixed/latest
expect_status 0 "$WARPMETER" show mixed -o out.csv
[ "$(rows out.csv)" = $((count * each)) ] || fail "$(rows out.csv) flows, not $count times $each"
grep -q "; $count files, 1 named again and read once, 3 others passed over$" stderr.txt || fail "$(cat stderr.txt)"
{ head -1 out.csv; for i in $(seq "$count"); do tail -n +2 'mixed/of csv'; done; } > wanted.csv
cmp <(sort out.csv) <(sort wanted.csv)

# Damage and what cannot be opened: told, and the others are read.
head -c -5 'mixed/of csv' > mixed/damaged.csv
: > mixed/empty.csv
ln -s nowhere mixed/dangling.csv
expect_status 3 "$WARPMETER" show mixed -o out.csv
[ "$(rows out.csv)" = $(((count + 1) * each - 1)) ] || fail "$(rows out.csv) flows"
grep -q 'mixed/damaged.csv: damaged at byte' stderr.txt || fail "$(cat stderr.txt)"
grep -q 'mixed/empty.csv: no Flow Records: it is empty' stderr.txt || fail "$(cat stderr.txt)"
grep -q 'mixed/dangling.csv: cannot be read: No such file' stderr.txt || fail "$(cat stderr.txt)"
grep -q "; $((count + 1)) files, 1 named again and read once, 3 others passed over, 2 unreadable$" stderr.txt || fail "$(cat stderr.txt)"

# Folders below.
mkdir -p days/monday days/tuesday
cp 'mixed/of csv' days/monday/a.csv
cp 'mixed/of json' days/tuesday/b
ln -s .. days/tuesday/loop
expect_status 0 "$WARPMETER" show -q days --recursive -o out.csv
[ "$(rows out.csv)" = $((2 * each)) ] || fail "not those below"
nothing() {
  expect_status 1 "$WARPMETER" show "$1" -o not.csv
  expect_one_line "$2"
  [ ! -e not.csv ] || fail "there is an output"
}
nothing days 'days: no Flow Records in this folder, but in folders below it [(]such as days/monday/a.csv[)]: --recursive'
mkdir nothing captures texts
nothing nothing 'nothing: no Flow Records in this folder$'
cp "$DATA/first-look.pcap" captures/x
nothing captures 'no Flow Records in this folder, but captures [(]such as captures/x[)], which warpmeter extract reads'
echo text > texts/a.txt
nothing texts 'texts: no Flow Records in this folder [(]1 other file[)]'
expect_status 2 "$WARPMETER" show - - < mixed/README
expect_one_line 'standard input[)] is given more than once'

# A file that is gone when its turn comes.
mkdir gone
for name in a b c; do cp 'mixed/of csv' gone/$name.csv; done
mkfifo first
"$WARPMETER" show first gone -o out.csv 2> stderr.txt & show=$!
exec 7> first  # waits until it is opened, and that is when all files are known
cat 'mixed/of csv' >&7
rm gone/b.csv
exec 7>&-
status=0
wait $show || status=$?
[ $status = 3 ] || fail "exit status $status: $(cat stderr.txt)"
grep -q 'gone/b.csv: cannot be read: No such file' stderr.txt || fail "$(cat stderr.txt)"
[ "$(rows out.csv)" = $((3 * each)) ] || fail "$(rows out.csv) flows of three files"
