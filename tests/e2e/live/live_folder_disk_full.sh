#!/usr/bin/env bash
# A full disk of outputs, or of the state, loses nothing of a capture with --state: the old state stays whole, one line
# says so, and the step is tried again until there is room. A run that is told to end meanwhile fails, leaves nothing
# half-written, and the next run with the same state loses nothing and repeats nothing.
. "$(dirname "$0")/../common.sh"
mkdir small captures
why=$(mount -t tmpfs -o size=100k tmpfs small 2>&1) || { echo "root with the right to mount runs this: $why"; exit 77; }
METER=
trap '[ -z "$METER" ] || kill -9 $METER 2>/dev/null; umount "$SCRATCH/small"; rm -rf "$SCRATCH"' EXIT
"$TRAFFIC_GEN" --packets 20000 --mean-packets 4 -o many.pcap
python3 "$(dirname "$0")/../cut_capture.py" many.pcap 4 'captures/piece{}.pcap'
"$WARPMETER" extract -q -o expected.csv captures

# start OUTPUT STATE
start() {
  "$WARPMETER" live -q -i folder:captures --rotate 200ms -o "$1" --state "$2" 2>stderr.txt & METER=$!
  wait_for 20 interruptible $METER
}
# end STATUS
end() {
  local got=0
  kill -TERM $METER; wait $METER || got=$?; METER=
  [ $got = "$1" ] || { cat stderr.txt >&2; fail "exit status $got, expected $1"; }
}
told() { [ "$(grep -c "$1" stderr.txt)" = 1 ]; }
# all_there NAME...: those of extract.
all_there() { tail -qn +2 "$@" | sort | cmp - <(tail -n +2 expected.csv | sort) || fail "other Flow Records than those of extract"; }

# Of the outputs; nobody makes room.
start small/flows.csv state
wait_for 20 told '^warpmeter: small/flows\..*: cannot be written: No space left on device: tried again; until then state stays as it is'
cp state state.before
sleep 2
end 1
cmp state state.before || fail "the state changed"
[ "$(wc -l <stderr.txt)" = 2 ] && tail -n 1 stderr.txt | grep -q '^warpmeter: small/flows\..*: No space left on device$' || fail "$(cat stderr.txt)"
[ -z "$(ls -A small)" ] || fail "left behind: $(ls -A small)"
# The next run goes on; room is made while it runs, and SIGHUP says so.
start small/flows.csv state
wait_for 20 told 'tried again'
mount -o remount,size=64m small
kill -HUP $METER
wait_for 20 told '^warpmeter: state: goes on, nothing was lost$'
end 0
all_there small/flows.*.csv
rm small/*

# Of the state.
mount -o remount,size=100k small
head -c 98000 /dev/zero >small/filler
start flows.csv small/state
wait_for 20 told '^warpmeter: small/state: cannot be written: No space left on device: tried again'
cp small/state state.before
sleep 1
cmp small/state state.before || fail "the state changed"
rm small/filler
kill -HUP $METER
wait_for 20 told '^warpmeter: small/state: goes on, nothing was lost$'
end 0
all_there flows.*.csv
no_leftovers
