#!/usr/bin/env bash
# A full disk of outputs, or of the state, ends a run with one line; nothing half-written is left, and when there is room
# again the next run with the same state loses nothing and repeats nothing.
. "$(dirname "$0")/common.sh"
mkdir small captures
why=$(mount -t tmpfs -o size=100k tmpfs small 2>&1) || { echo "root with the right to mount runs this: $why"; exit 77; }
METER=
trap '[ -z "$METER" ] || kill -9 $METER 2>/dev/null; umount "$SCRATCH/small"; rm -rf "$SCRATCH"' EXIT
"$TRAFFIC_GEN" --packets 20000 --mean-packets 4 -o many.pcap
python3 "$(dirname "$0")/cut_capture.py" many.pcap 4 'captures/piece{}.pcap'
"$WARPMETER" extract -q -o expected.csv captures
live="$WARPMETER live -q -i folder:captures --rotate 200ms"

# Of the outputs.
expect_status 1 timeout 20 $live -o small/flows.csv --state state
expect_one_line 'small/flows.*: cannot be written: No space left on device'
[ -z "$(ls -A small)" ] || fail "left behind: $(ls -A small)"
# Of the state.
head -c 98000 /dev/zero >small/filler
expect_status 1 timeout 20 $live -o flows.csv --state small/state
expect_one_line 'small/state.*: cannot be written: No space left on device'
rm small/filler

mount -o remount,size=64m small
$live -o small/flows.csv --state state & METER=$!
wait_for 20 interruptible $METER
kill -TERM $METER; wait $METER; METER=
tail -qn +2 small/flows.*.csv | sort >got
tail -n +2 expected.csv | sort | cmp - got || fail "other Flow Records than those of extract"
no_leftovers
