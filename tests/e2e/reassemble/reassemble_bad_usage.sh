#!/usr/bin/env bash
# Bad options, and what holds no payload, give reassemble one line and exit status 2; damage gives 3, and what came before.
. "$(dirname "$0")/../common.sh"
capture=$DATA/first-look.pcap
refused() {
  local pattern=$1
  shift
  expect_status 2 "$WARPMETER" reassemble "$@"
  expect_one_line "^warpmeter: $pattern"
  [ -z "$(ls | grep -v '^std')" ] || fail "there is $(ls)"
}
refused '--output is required, as in: warpmeter reassemble ' "$capture"
refused "-o: the name of the output is empty\$|--output '': there is no value\$" -o '' "$capture"
refused '-o x.zst: packed is .json or .streams, such as x.streams.zst$' -o x.zst "$capture"
refused '--format is for -o -; ' -o x.json --format records "$capture"
refused '--format xml: not one of json, records ' -o - --format xml "$capture"
refused '--payload is for JSON, ' -o x.streams --payload base64 "$capture"
refused '--files is for a folder of files, ' -o x.json --files connection "$capture"
refused '--names is for a folder of files, ' -o - --names numbered "$capture"
for bad in 1023 512 300K 1M; do refused "--block-size $bad: 1K to 256K\$" -o x --block-size $bad "$capture"; done
refused '--block-size 16Q: not a size: ' -o x --block-size 16Q "$capture"
for bad in 999ms 257s 1h; do refused "--timeout $bad: 1s to 256s, or 0 for never\$" -o x --timeout $bad "$capture"; done
refused '--timeout -1: less than 0' -o x --timeout=-1 "$capture"
refused '--gap-packets -1: ' -o x --gap-packets=-1 "$capture"
refused '--overlap newest: not one of first, last, bsd, linux, windows ' -o x --overlap newest "$capture"
refused '--memory: at least 1M$' -o x --memory 1K "$capture"
refused '-: is another output too|standard output: is another output too' -o - -o - "$capture"
refused "filter 'tcp prt 1': .*nor is there a file of that name" -o x "$capture" 'tcp prt 1'
refused "reassemble has no option --biflow: it is one of extract" -o x --biflow "$capture"
for ending in csv pcap jsn JSN; do refused "-o x.$ending: which form\? " -o x.$ending "$capture"; done
refused "'tcp port 80': inputs come first, a capture filter behind them " -o x 'tcp port 80' "$capture"
refused "'tcp': inputs come first, a capture filter behind them " -o x tcp port 80 "$capture"
for good in 1K 256K; do "$WARPMETER" reassemble -q -o /dev/null --block-size $good --timeout 0 --gap-packets 0 "$capture"; done

# A terminal gets no bytes of others.
python3 - "$WARPMETER" "$capture" <<'PY'
import os, pty, subprocess, sys
near, far = pty.openpty()
done = subprocess.run([sys.argv[1], 'reassemble', '-o', '-', sys.argv[2]], stdout=far, stderr=subprocess.PIPE, text=True)
assert done.returncode == 2 and 'records are no text for a terminal' in done.stderr, done
PY

"$WARPMETER" decode -q -o set "$capture"
for what in set set/part-03-of-16.segments; do
  expect_status 2 "$WARPMETER" reassemble -o x.json $what
  expect_one_line '^warpmeter: set/part-[0-9]*-of-16.segments: segments hold no payload; streams are put together out of captures$'
done
expect_status 2 "$WARPMETER" reassemble -o x.json "$capture" set
expect_one_line ': segments hold no payload; '
[ ! -e x.json ] || fail "there is an output"

head -c 20000 "$capture" > cut.pcap
expect_status 3 "$WARPMETER" reassemble -q -o x.json -o x.streams -o x --stats stats.json cut.pcap
expect_one_line '^warpmeter: cut.pcap: damaged at byte [0-9]+: .*; what came before is in the output$'
grep -q '"exit status": 3' stats.json
python3 "$SOURCE/examples/read_streams.py" < x.streams > text.txt
tail -n 1 text.txt | grep -qE '^last [1-9]' || fail "no whole stream"
[ "$(grep -c ^opened text.txt)" = "$(grep -o '"opened_packet"' x.json | wc -l)" ] && [ "$(ls x | wc -l)" -gt 3 ]
expect_status 3 "$WARPMETER" reassemble -q -o y.json missing.pcap "$capture"
expect_one_line '^warpmeter: missing.pcap: '
expect_status 1 "$WARPMETER" reassemble -q -o z.json missing.pcap
expect_one_line '^warpmeter: missing.pcap: '
# Of a stream that was cut, readers notice.
head -c 3000 x.streams > cut.streams
! python3 "$SOURCE/examples/read_streams.py" < cut.streams > /dev/null 2> told.txt || fail "not noticed"
grep -q 'the stream is cut short' told.txt
[ ! -e z.json ] && no_leftovers
