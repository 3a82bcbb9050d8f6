#!/usr/bin/env bash
# A file that vanishes after the start, and one that shrinks while it is read, cost no more than themselves: one line
# each, the rest of the trace is in the output, exit status 3. Standard input given twice is a mistake.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 2000 --flows 20 -o a.pcap 2>/dev/null
"$WARPMETER" extract -q -o a.csv a.pcap

# Every other input has been looked at when the pipe is opened, and is not opened again before the pipe gives bytes.
after_start() {
  mkfifo pipe
  "$WARPMETER" extract -q -o out.csv pipe b.pcap >stdout.txt 2>stderr.txt &
  local program=$!
  exec 3> pipe
  "$@"
  cat a.pcap >&3
  exec 3>&-
  status=0
  wait $program || status=$?
  rm pipe
}
cp "$DATA/first-look.pcap" b.pcap
after_start rm b.pcap
[ "$status" = 3 ] || fail "exit status $status"
expect_one_line 'b.pcap: No such file or directory'
cmp a.csv out.csv

cp "$DATA/first-look.pcap" b.pcap
after_start truncate -s 30 b.pcap
[ "$status" = 3 ] || fail "exit status $status"
expect_one_line 'b.pcap: damaged at byte 24: record header cut short'
cmp a.csv out.csv

expect_status 2 "$WARPMETER" extract -q -o out2.csv - a.pcap -
expect_one_line 'standard input.* more than once'
