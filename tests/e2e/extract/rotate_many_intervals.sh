#!/usr/bin/env bash
# --rotate TIME has no limit of intervals: thousands of files with few descriptors and little memory, each with the rows of
# its interval in the order of the whole output.
# Thousands of small files, for each of which a disk may take a millisecond.
[ ! -w /dev/shm ] || export TMPDIR=/dev/shm
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 60000 --mean-packets 6 -o t.pcap
every=("" "--biflow" "--run-memory 100K")
[ -z "${SANITIZE:-}" ] || every=("--biflow --run-memory 100K")
for options in "${every[@]}"; do
  rm -rf time; mkdir time
  "$WARPMETER" extract -q $options -o all.csv t.pcap
  (ulimit -n 64; "$WARPMETER" extract -q $options --rotate 20us -o time/flows.csv t.pcap)
  python3 - <<'PY'
import csv, glob, os, re
LENGTH = 20_000
rows = open('all.csv').readlines()
names = rows[0].rstrip().split(',')
ends = [i for i, name in enumerate(names) if name in ('end_ns', 'reverse_end_ns')]
wanted = {}
for row in rows[1:]:
    fields = row.rstrip('\n').split(',')
    end = max(int(fields[i]) for i in ends if fields[i])
    wanted.setdefault(end - end % LENGTH, [rows[0]]).append(row)
assert len(wanted) > 3000, len(wanted)
import datetime
def name(ns):
    text = datetime.datetime.fromtimestamp(ns // 10**9, datetime.timezone.utc).strftime('%Y%m%dT%H%M%S')
    return f'flows.{text}.{ns % 10**9:09}Z.csv' if ns % 10**9 else f'flows.{text}Z.csv'
assert sorted(os.listdir('time')) == sorted(name(ns) for ns in wanted)
for ns, lines in wanted.items(): assert open('time/' + name(ns)).readlines() == lines, name(ns)
PY
done

# A disk that is full on the way: the files so far are complete, and nothing is half-written.
mkdir small
mount -t tmpfs -o size=1m tmpfs small 2>/dev/null || exit 0
trap 'umount "$SCRATCH/small"; rm -rf "$SCRATCH"' EXIT
rm -rf time; mkdir time
"$WARPMETER" extract -q --rotate 20ms -o time/flows.csv t.pcap
expect_status 1 "$WARPMETER" extract -q --rotate 20ms -o small/flows.csv t.pcap
expect_one_line 'small/flows\..*\.csv: cannot be written: No space left on device'
[ "$(ls small | wc -l)" -gt 0 ] || fail "no file before the disk was full"
for file in small/*; do cmp "$file" "time/${file##*/}"; done
expect_status 1 "$WARPMETER" extract -q --rotate 1s -o nowhere/flows.csv t.pcap
expect_one_line 'nowhere/flows.*csv: cannot be written: No such file or directory'
