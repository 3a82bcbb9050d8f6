#!/usr/bin/env bash
# A full output disk and a full tmpdir: exit status 1, one line, nothing half-written.
. "$(dirname "$0")/../common.sh"
mkdir small
why=$(mount -t tmpfs -o size=64k tmpfs small 2>&1) || { echo "root with the right to mount runs this: $why"; exit 77; }
trap 'umount "$SCRATCH/small"; rm -rf "$SCRATCH"' EXIT
"$TRAFFIC_GEN" --packets 30000 --mean-packets 4 -o many.pcap
expect_status 1 "$WARPMETER" extract -q -o small/out.csv many.pcap
expect_one_line 'small/out.csv: cannot be written: No space left on device'
[ -z "$(ls -A small)" ] || fail "left behind: $(ls small)"
expect_status 1 "$WARPMETER" extract -q --run-memory 1 --tmpdir small -o out.csv many.pcap
expect_one_line 'small: cannot write a run file: No space left on device'
[ ! -e out.csv ] || fail "there is an output"
[ -z "$(ls -A small)" ] || fail "left behind: $(ls small)"
no_leftovers
