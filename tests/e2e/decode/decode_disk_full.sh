#!/usr/bin/env bash
# A full disk, or one that is the folder itself: exit status 1, one line and nothing left; where there is room, the set lies
# in the root of that file system.
. "$(dirname "$0")/../common.sh"
mkdir small
why=$(mount -t tmpfs -o size=300k tmpfs small 2>&1) || { echo "root with the right to mount runs this: $why"; exit 77; }
trap 'umount "$SCRATCH/small"; rm -rf "$SCRATCH"' EXIT
"$TRAFFIC_GEN" --packets 60000 --mean-packets 20 -o many.pcap
for folder in small small/set; do
  expect_status 1 "$WARPMETER" decode -q -o $folder many.pcap
  expect_one_line "^warpmeter: $folder.*/part-[0-9]+-of-16.segments: cannot be written: No space left on device\$"
  [ -z "$(ls -A small)" ] || fail "left behind: $(ls -A small)"
done
expect_status 1 "$WARPMETER" decode -q -o set --stats /dev/full "$DATA/first-look.pcap"
expect_one_line '^warpmeter: /dev/full: cannot be written: No space left on device$'
"$WARPMETER" extract -q -o wanted.csv "$DATA/first-look.pcap"
"$WARPMETER" decode -q -o small "$DATA/first-look.pcap"
"$WARPMETER" extract -q -o got.csv small
cmp got.csv wanted.csv
no_leftovers
