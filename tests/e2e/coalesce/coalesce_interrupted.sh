#!/usr/bin/env bash
# A signal ends coalesce with status 130 and a whole output of what was read. Killed outright it leaves nothing under the
# name that was asked for. Who reads no more ends it without a word.
. "$(dirname "$0")/../common.sh"
cp "$DATA/first-look.pcap" a.pcap
"$WARPMETER" coalesce -q -o wanted.pcap a.pcap
begin() { begin_open a.pcap "$WARPMETER" coalesce --stats stats.json -o x.pcap -; }
for signal in INT TERM HUP; do
  begin; kill -$signal $program; end_open
  [ $status = 130 ] || fail "exit status $status after SIG$signal"
  grep -q '^  interrupted ' stderr.txt || { cat stderr.txt; fail "the summary does not say so"; }
  grep -q '"exit_status": 130' stats.json || fail "$(cat stats.json)"
  cmp x.pcap wanted.pcap
  rm x.pcap
done
begin; kill -KILL $program; end_open
[ ! -e x.pcap ] || fail "there is an output"
rm -f x.pcap.part-* .x.pcap*

"$TRAFFIC_GEN" --packets $((60000 / SCALE)) --mean-packets 20 -o many.pcap
for threads in 1 3; do
  { status=0; "$WARPMETER" coalesce -q --threads $threads -o - many.pcap 2> said.txt || status=$?; echo $status > status.txt; } |
    head -c 10 > head.txt
  [ "$(cat status.txt)" = 141 ] && [ ! -s said.txt ] || fail "exit status $(cat status.txt): $(cat said.txt)"
done
no_leftovers
