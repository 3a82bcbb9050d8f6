#!/usr/bin/env bash
# `| head`: the program ends by SIGPIPE without a word, whatever it inherited, and what it had begun elsewhere is gone.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 60000 --mean-packets 4 -o many.pcap
"$WARPMETER" extract -q -o many.csv many.pcap
mkdir out
# read_by_head COMMAND...: its status, and what it said in said.txt.
read_by_head() { { status=0; "$@" 2> said.txt || status=$?; echo $status > status.txt; } | head -1 > head.txt; }
for signal in default ignore; do
  for command in "extract -q --stats out/stats.json many.pcap" "extract -o - many.pcap" "show many.csv" \
                 "show --json many.csv"; do
    read_by_head env --$signal-signal=PIPE "$WARPMETER" $command
    [ "$(cat status.txt)" = 141 ] || fail "exit status $(cat status.txt): $command"
    [ ! -s said.txt ] || fail "$command said $(cat said.txt)"
    [ -s head.txt ] || fail "no first line: $command"
    [ -z "$(ls -A out | grep -vx stats.json)" ] || fail "left behind: $(ls out)"
  done
done
