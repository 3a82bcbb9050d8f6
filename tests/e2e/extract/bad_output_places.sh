#!/usr/bin/env bash
# Outputs that cannot be written are found before the work: a missing folder, a folder, a full device. A folder where a
# file is to be is wrong usage, whichever option names it.
. "$(dirname "$0")/../common.sh"
capture=$DATA/first-look.pcap
expect_status 1 "$WARPMETER" extract -q -o nowhere/out.csv "$capture"
expect_one_line 'nowhere/out.csv: cannot be written: No such file or directory'
mkdir folder.csv
mkdir empty folder.json folder.pcap
is_refused() {  # OPTION NAME COMMAND...
  local option=$1 name=$2
  shift 2
  expect_status 2 "$WARPMETER" "$@" "$option" "$name"
  expect_one_line "^warpmeter: $option $name: is a folder: name a file in it\$"
}
is_refused -o folder.csv extract -q "$capture"
is_refused -o folder.csv memory -q "$capture"
is_refused -o folder.json reassemble -q "$capture"
is_refused -o folder.pcap coalesce -q "$capture"
"$WARPMETER" extract -q -o flows.csv "$capture"
for command in show merge report; do is_refused -o folder.csv $command flows.csv; done
is_refused --svg folder.csv policy explain stock
is_refused --stats folder.csv live -i folder:empty --duration 1s -o x.csv
is_refused --stats folder.csv coalesce --dry-run "$capture"
for command in extract decode reassemble memory; do is_refused --stats folder.csv $command -q -o x.csv "$capture"; done
"$WARPMETER" extract -q -o folder.csv --rotate 1h "$capture" || fail "no file has that name"
rm folder.*.csv flows.csv
# No format is asked for of a name that no file can have; nor is /dev/null said to be missing.
mkdir plain
for command in extract memory; do
  expect_status 2 "$WARPMETER" $command -q -o plain "$capture"
  expect_one_line '-o plain: is a folder: name a file in it'
done
expect_status 2 "$WARPMETER" live -i folder:empty -o plain
expect_one_line '-o plain: is a folder: name a file in it'
expect_status 2 "$WARPMETER" extract -q --rotate 1h -o /dev/null "$capture"
expect_one_line '--rotate: -o /dev/null is no file, of which there could be several'
mkfifo pipe.csv
expect_status 2 "$WARPMETER" extract -q --rotate 1h -o pipe.csv "$capture"
expect_one_line '--rotate: -o pipe.csv is no file, of which there could be several'
expect_status 1 "$WARPMETER" extract -q --format csv -o /dev/full "$capture"
expect_one_line '/dev/full: cannot be written: No space left on device'
expect_status 1 "$WARPMETER" extract -q --backend cuda "$capture"
expect_one_line 'backend cuda'
no_leftovers
