#!/usr/bin/env bash
# Who holds thousands of files of a folder open to write, and makes and closes others all the time, holds up nobody: captures
# are read meanwhile, and a signal is heard at once.
. "$(dirname "$0")/../common.sh"
files=$((15000 / SCALE))
mkdir folder
# Processes that have few enough files open each, whatever user this is.
cat > hold.py <<'PY'
import os, sys, time
files = int(sys.argv[1])
for first in range(0, files, 900):
    if os.fork() == 0:
        held = [open('folder/held.%d' % i, 'w') for i in range(first, min(first + 900, files))]
        open('held.%d' % first, 'w').close()
        time.sleep(600)
        sys.exit()
while len([name for name in os.listdir('.') if name.startswith('held.')]) < (files + 899) // 900: time.sleep(0.02)
open('all-held', 'w').close()
while True:
    for i in range(100):
        open('folder/other.%d' % i, 'w').close()
        os.unlink('folder/other.%d' % i)
    time.sleep(0.001)
PY
setsid python3 hold.py "$files" & HOLDER=$!
disown
trap 'kill -9 -- -$HOLDER 2>/dev/null || true; kill -9 ${METER:-} 2>/dev/null || true; rm -rf "$SCRATCH"' EXIT
wait_for 60 test -e all-held
"$WARPMETER" live -q -i folder:folder -o live.csv --stats live.json 2> live.txt & METER=$!
wait_for 60 interruptible $METER
cp "$DATA/first-look.pcap" folder/a.pcap
is_read() { has_read "$(stat -c %s "$DATA/first-look.pcap")" $METER; }
wait_for 5 is_read
begin=$(date +%s%N)
kill -TERM $METER
wait $METER || fail "exit status $?: $(cat live.txt)"
took=$((($(date +%s%N) - begin) / 1000000))
[ $took -lt $((1500 * SCALE)) ] || fail "it ended $took ms after SIGTERM"
"$WARPMETER" extract -q -o expected.csv "$DATA/first-look.pcap"
cmp expected.csv live.csv
# One more if the holder has just made one.
grep -qE "\"files left\": ($files|$((files + 1)))\b" live.json || fail "$(cat live.json)"
echo "ended $took ms after SIGTERM"
