#!/usr/bin/env bash
# A full disk, of any output of reassemble or of what waits for order: exit status 1, one line, and nothing left of any output.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 20000 --frame-size 1000 --mean-packets 70 -o many.pcap
for format in json records; do
  for unordered in '' --unordered; do
    expect_status 1 "$WARPMETER" reassemble -q $unordered -o x -o x.json -o /dev/full --format $format many.pcap
    expect_one_line '^warpmeter: /dev/full: cannot be written: No space left on device$'
    [ "$(ls)" = "$(printf '%s\n' many.pcap stderr.txt stdout.txt)" ] || fail "left behind: $(ls)"
  done
done
expect_status 1 "$WARPMETER" reassemble -q -o x --stats /dev/full many.pcap
expect_one_line '^warpmeter: /dev/full: cannot be written: No space left on device$'
# The summary comes last: the outputs are there.
[ "$(ls x | wc -l)" -gt 100 ] && [ -z "$(find . -name '*.part-*')" ] || fail "no whole output"
rm -rf x
mkdir small
why=$(mount -t tmpfs -o size=700k tmpfs small 2>&1) || { echo "root with the right to mount runs this: $why"; exit 77; }
trap 'umount "$SCRATCH/small"; rm -rf "$SCRATCH"' EXIT
for place in small small/s; do
  expect_status 1 "$WARPMETER" reassemble -q -o $place -o x.streams many.pcap
  expect_one_line "^warpmeter: $place/[0-9a-f.:]*-[0-9a-f.:]*: cannot be written: No space left on device\$"
  [ -z "$(ls -A small)" ] && [ ! -e x.streams ] || fail "left behind: $(ls -A . small)"
done
expect_status 1 "$WARPMETER" reassemble -q -o x -o small/x.streams many.pcap
expect_one_line '^warpmeter: small/x.streams: cannot be written: No space left on device$'
[ -z "$(ls -A small)" ] && [ ! -e x ] || fail "left behind: $(ls -A . small)"
expect_status 1 "$WARPMETER" reassemble -q --tmpdir small -o x -o x.streams many.pcap
expect_one_line '^warpmeter: small: cannot write a run file: No space left on device \(--tmpdir chooses another folder\)$'
[ -z "$(ls -A small)" ] && [ ! -e x ] && [ ! -e x.streams ] || fail "left behind: $(ls -A . small)"
"$WARPMETER" reassemble -q --tmpdir small --unordered -o x.streams many.pcap
no_leftovers
