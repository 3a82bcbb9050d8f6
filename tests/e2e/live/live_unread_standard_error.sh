#!/usr/bin/env bash
# Standard error is a full pipe that nobody reads: a capture goes on, ends when asked to, and its Flow Records are whole.
. "$(dirname "$0")/../common.sh"
mkdir captures
cp "$DATA/first-look.pcap" captures/
"$WARPMETER" extract -q -o expected.csv captures/first-look.pcap

mkfifo unread
exec 7<>unread
python3 - <<'PY'
import fcntl, os
os.set_blocking(7, False)
try:
    while True: os.write(7, b'x' * 4096)
except BlockingIOError:
    pass
os.set_blocking(7, True)   # as a shell hands it on
PY
timeout -k 1 20 "$WARPMETER" live -i folder:captures --duration 500ms -o flows.csv 2>unread || fail "exit status $?"
cmp expected.csv flows.csv || fail "other Flow Records than those of extract"

"$WARPMETER" live -i folder:captures -o flows.csv 2>unread &
METER=$!
trap '[ -z "$METER" ] || kill -9 $METER 2>/dev/null; rm -rf "$SCRATCH"' EXIT
wait_for 10 interruptible $METER
kill -TERM $METER
wait_for 10 eval '! kill -0 $METER'
wait $METER || fail "exit status $? after SIGTERM"
METER=
