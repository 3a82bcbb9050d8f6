#!/usr/bin/env bash
# A full disk: exit status 1, one line, and no half output; the same where --stats cannot be written.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 20000 --frame-size 1000 --mean-packets 70 -o many.pcap
for threads in 1 3; do
  expect_status 1 "$WARPMETER" coalesce -q --threads $threads -o /dev/full many.pcap
  expect_one_line '^warpmeter: /dev/full: cannot be written: No space left on device$'
done
expect_status 1 "$WARPMETER" coalesce -q --dry-run many.pcap --stats /dev/full
grep -q '^warpmeter: /dev/full: cannot be written: No space left on device$' stderr.txt
[ "$(ls)" = "$(printf '%s\n' many.pcap stderr.txt stdout.txt)" ] || fail "left behind: $(ls)"
mkdir small
why=$(mount -t tmpfs -o size=700k tmpfs small 2>&1) || { echo "root with the right to mount runs this: $why"; exit 77; }
trap 'umount "$SCRATCH/small"; rm -rf "$SCRATCH"' EXIT
for name in x.pcap x.pcapng.gz; do
  expect_status 1 "$WARPMETER" coalesce -q --threads 2 -o small/$name many.pcap
  expect_one_line "^warpmeter: small/$name: cannot be written: No space left on device\$"
  [ -z "$(ls -A small)" ] || fail "left behind: $(ls -A small)"
done
no_leftovers
