#!/usr/bin/env bash
# A signal ends reassemble with status 130 and whole outputs of what was read. Killed outright it leaves nothing under the names
# that were asked for.
. "$(dirname "$0")/common.sh"
cp "$DATA/first-look.pcap" a.pcap
"$WARPMETER" reassemble -q -o wanted -o wanted.json -o wanted.streams a.pcap
begin() {
  rm -f pipe; mkfifo pipe
  { cat a.pcap; exec sleep 60; } > pipe &
  feeder=$!
  # A shell starts background jobs with SIGINT ignored; env puts it back.
  env --default-signal=INT,HUP "$WARPMETER" reassemble --stats stats.json -o x -o x.json -o - - < pipe > x.streams 2> stderr.txt &
  reassemble=$!
  wait_for 60 starves $reassemble $feeder
}
finish() { status=0; wait $reassemble || status=$?; kill $feeder 2>/dev/null || true; wait $feeder 2>/dev/null || true; }
for signal in INT TERM HUP; do
  begin; kill -$signal $reassemble; finish
  [ $status = 130 ] || fail "exit status $status after SIG$signal"
  grep -q '^  interrupted ' stderr.txt || { cat stderr.txt; fail "the summary does not say so"; }
  grep -q '"exit status": 130' stats.json || fail "$(cat stats.json)"
  diff -r wanted x; cmp x.json wanted.json; cmp x.streams wanted.streams
  rm -r x x.json
done
begin; kill -KILL $reassemble; finish
[ ! -e x ] && [ ! -e x.json ] && [ ! -s x.streams ] || fail "there is an output"
rm -r x.part-*
no_leftovers

# Who reads no more ends it without a word.
"$TRAFFIC_GEN" --packets 60000 --mean-packets 20 -o many.pcap
for order in '' --unordered; do
  for format in records json; do
    { status=0; "$WARPMETER" reassemble -q $order --format $format -o gone -o - many.pcap 2> said.txt || status=$?; echo $status > status.txt; } |
      head -c 10 > head.txt
    [ "$(cat status.txt)" = 141 ] && [ ! -s said.txt ] || fail "exit status $(cat status.txt): $(cat said.txt)"
    [ ! -e gone ] && [ -z "$(find . -name '*.part-*')" ] || fail "left behind: $(ls)"
  done
done
