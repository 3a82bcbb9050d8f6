#!/usr/bin/env bash
# Bad options, and what holds no packets, give coalesce one line and exit status 2; damage gives 3, and what came before. No
# input is written over.
. "$(dirname "$0")/../common.sh"
capture=$DATA/first-look.pcap
refused() {
  local pattern=$1
  shift
  expect_status 2 "$WARPMETER" coalesce "$@"
  expect_one_line "^warpmeter: $pattern"
  [ -z "$(ls | grep -v '^std')" ] || fail "there is $(ls)"
}
refused '--output is required, as in: warpmeter coalesce ' "$capture"
refused "-o: the name of the output is empty\$|--output '': there is no value\$" -o '' "$capture"
for bad in x x.csv x.cap x.pcap.xz x.gz x.json; do refused "-o $bad: which form\? " -o $bad "$capture"; done
refused '--dry-run writes no capture: ' --dry-run -o x.pcap "$capture"
refused '--dry-run has thresholds of its own: ' --dry-run --threshold 5K "$capture"
for bad in 1023 65K 1M; do refused "--threshold $bad: 1K to 64K\$" -o x.pcap --threshold $bad "$capture"; done
refused '--threshold 16Q: not a size: ' -o x.pcap --threshold 16Q "$capture"
refused '--interval -1: less than 0' -o x.pcap --interval=-1 "$capture"
refused '--interval: more than 0$' -o x.pcap --interval 0 "$capture"
refused '--memory: at least 1M$' -o x.pcap --memory 1K "$capture"
refused "filter 'tcp prt 1': .*nor is there a file of that name" -o x.pcap "$capture" 'tcp prt 1'
refused "coalesce has no option --biflow: it is one of extract" -o x.pcap --biflow "$capture"
for good in 1K 16K 64K 65536; do "$WARPMETER" coalesce -q -o /dev/null --threshold $good --interval 1ns "$capture"; done

# A terminal gets no capture.
python3 - "$WARPMETER" "$capture" <<'PY'
import os, pty, subprocess, sys
near, far = pty.openpty()
done = subprocess.run([sys.argv[1], 'coalesce', '-o', '-', sys.argv[2]], stdout=far, stderr=subprocess.PIPE, text=True)
assert done.returncode == 2 and 'a capture is no text for a terminal' in done.stderr, done
PY

"$WARPMETER" decode -q -o set "$capture"
expect_status 2 "$WARPMETER" coalesce -o x.pcap set
expect_one_line '^warpmeter: set/part-[0-9]*-of-16.segments: segments hold no packets that could be joined; captures do$'

# An output is no input, whatever it is called.
cp "$capture" a.pcap; cp a.pcap before.pcap; ln -s a.pcap link.pcap; ln a.pcap hard.pcap; mkdir folder; cp a.pcap folder/b.pcap
for name in a.pcap ./a.pcap link.pcap hard.pcap; do
  expect_status 1 "$WARPMETER" coalesce -q a.pcap -o $name
  expect_one_line "^warpmeter: $name: is an input too"
done
expect_status 1 "$WARPMETER" coalesce -q folder -o folder/b.pcap
expect_status 2 "$WARPMETER" coalesce -q a.pcap -o x.pcap --stats x.pcap
expect_one_line '^warpmeter: x.pcap: is another output too'
cmp a.pcap before.pcap; cmp folder/b.pcap before.pcap; [ ! -e x.pcap ]

head -c 20000 "$capture" > cut.pcap
expect_status 3 "$WARPMETER" coalesce -q -o x.pcap --stats stats.json cut.pcap
expect_one_line '^warpmeter: cut.pcap: damaged at byte [0-9]+: .*; what came before is in the output$'
grep -q '"exit_status": 3' stats.json
"$WARPMETER" info x.pcap | grep -q packets
expect_status 3 "$WARPMETER" coalesce -q -o y.pcap missing.pcap "$capture"
expect_one_line '^warpmeter: missing.pcap: '
expect_status 1 "$WARPMETER" coalesce -q -o z.pcap missing.pcap
expect_one_line '^warpmeter: missing.pcap: '
[ ! -e z.pcap ] && no_leftovers
