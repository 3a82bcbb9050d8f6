#!/usr/bin/env bash
# A command in the folder that it reads, with its output there: what the shell has made for it is no input, be it standard
# output or standard error, and whatever it is called.
. "$(dirname "$0")/../common.sh"
mkdir captures flows
cp "$DATA/first-look.pcap" captures/a.pcap
cp "$DATA/first-look.expected.csv" flows/a.csv

# within FOLDER COMMAND...: there, its output in out.csv and what it says in log.txt.
within() {
  local folder=$1 got=0
  shift
  (cd "$folder" && exec "$@" >out.csv 2>log.txt) || got=$?
  [ $got = 0 ] || { cat "$folder/log.txt"; fail "exit status $got: $*"; }
  mv "$folder"/{out.csv,log.txt} .
}
within captures "$WARPMETER" extract .
cmp out.csv "$DATA/first-look.expected.csv"
! grep -qE '^  (unreadable|passed over)' log.txt || { cat log.txt; fail "its own files are counted"; }
within captures "$WARPMETER" extract --recursive "$PWD/captures"
cmp out.csv "$DATA/first-look.expected.csv"
within captures "$WARPMETER" info .
! grep -qE '^ *(unreadable|passed over)' out.csv || { cat out.csv; fail "info counts its own files"; }
within flows "$WARPMETER" show --csv .
cmp out.csv "$DATA/first-look.expected.csv"
within flows "$WARPMETER" report . -o -
grep -q '1 file' log.txt || { cat log.txt; fail "report reads something else"; }

# A folder that grows.
(cd captures && exec "$WARPMETER" live -i folder:. --duration 1s >out.csv 2>log.txt) || { cat captures/log.txt; fail live; }
cmp captures/out.csv "$DATA/first-look.expected.csv"
grep -q '^  files  *1 read$' captures/log.txt || { cat captures/log.txt; fail "live reads something else"; }
rm captures/*.*t

# Named, it is an input, and what holds packets stays one.
status=0
(cd captures && exec "$WARPMETER" extract a.pcap out.csv >out.csv 2>../stderr.txt) || status=$?
[ $status = 1 ] && grep -q 'standard output: is an input too' stderr.txt || { cat stderr.txt; fail "status $status"; }
cp captures/a.pcap before
status=0
(cd captures && exec "$WARPMETER" extract . >>a.pcap 2>../stderr.txt) || status=$?
[ $status = 1 ] && grep -q 'standard output: is an input too' stderr.txt || { cat stderr.txt; fail "status $status"; }
cmp before captures/a.pcap

# A part of a set holds packets too.
"$WARPMETER" decode -q captures/a.pcap -o set
part=$(find set -name 'part-01-*')
cp "$part" before
status=0
"$WARPMETER" extract --format csv -o "$part" set 2>stderr.txt || status=$?
[ $status = 1 ] && grep -q 'is an input too' stderr.txt || { cat stderr.txt; fail "status $status"; }
cmp before "$part"
