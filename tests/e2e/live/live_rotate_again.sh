#!/usr/bin/env bash
# What live captures captured with --rotate TIME stays where another one has the same name, written while it ran or at its
# end, and show reads all of it by that name.
. "$(dirname "$0")/../common.sh"
mkdir captures out
cp "$DATA/first-look.pcap" captures/
METER=
trap '[ -z "$METER" ] || kill -9 $METER 2>/dev/null; rm -rf "$SCRATCH"' EXIT
# Reads what is there, to its end.
live() {
  "$WARPMETER" live -q -i folder:captures --rotate 1h -o out/flows.csv "$@" &
  METER=$!
  wait_for 20 interruptible $METER
  kill -INT $METER
  wait $METER || fail "exit status $?"
  METER=
}
expected=$(($("$WARPMETER" extract -q --biflow captures/first-look.pcap | wc -l) - 1))

live --biflow
live --biflow
[ "$(cat out/flows.*.csv | grep -vc src_addr)" = $((2 * expected)) ] || fail "Flow Records of the first capture are gone"
ls out/flows.*Z-2.csv >/dev/null || fail "$(ls out)"
"$WARPMETER" show -q out/flows.csv --csv >shown.csv
[ "$(rows shown.csv)" = $((2 * expected)) ] || fail "show reads $(rows shown.csv) of $((2 * expected))"

# By size, numbers go on behind those that are there.
by_size() {
  "$WARPMETER" live -q -i folder:captures --rotate 1K -o out/sized.csv --stats sized.json &
  METER=$!
  wait_for 20 interruptible $METER
  kill -INT $METER
  wait $METER || fail "exit status $?"
  METER=
}
by_size
before=$(ls out/sized.* | wc -l)
[ "$before" -gt 1 ] || fail "$(ls out)"
sha256sum out/sized.* >first.txt
by_size
sha256sum --quiet -c first.txt || fail "files of the run before are others now"
[ "$(ls out/sized.* | wc -l)" = $((2 * before)) ] || fail "$(ls out)"
[ -e "$(printf out/sized.%06d.csv $((before + 1)))" ] || fail "numbers do not go on: $(ls out)"

# None of these is there where no flow ended.
rm -r captures/* out/*
live --biflow
[ -z "$(ls out)" ] || fail "$(ls out)"

# The file of --stats may be a pipe whose reader never comes: a signal ends waiting for it.
mkfifo unread
"$WARPMETER" live -q -i folder:captures -o out/flows.csv --stats unread &
METER=$!
wait_for 10 interruptible $METER
kill -TERM $METER
wait_for 10 eval '! kill -0 $METER'
METER=
