#!/usr/bin/env bash
# A signal ends reassemble with status 130 and whole outputs of what was read. Killed outright it leaves nothing under the names
# that were asked for.
. "$(dirname "$0")/../common.sh"
cp "$DATA/first-look.pcap" a.pcap
"$WARPMETER" reassemble -q -o wanted -o wanted.json -o wanted.streams a.pcap
begin() { begin_open a.pcap "$WARPMETER" reassemble --stats stats.json -o x -o x.json -o - -; }
for signal in INT TERM HUP; do
  begin; kill -$signal $program; end_open
  [ $status = 130 ] || fail "exit status $status after SIG$signal"
  grep -q '^  interrupted ' stderr.txt || { cat stderr.txt; fail "the summary does not say so"; }
  grep -q '"exit status": 130' stats.json || fail "$(cat stats.json)"
  diff -r wanted x; cmp x.json wanted.json; cmp stdout.txt wanted.streams
  rm -r x x.json
done
begin; kill -KILL $program; end_open
[ ! -e x ] && [ ! -e x.json ] && [ ! -s stdout.txt ] || fail "there is an output"
rm -r x.part-*
mkdir x; begin; kill -KILL $program; end_open
expect_status 1 "$WARPMETER" reassemble -q -o x a.pcap
expect_one_line '^warpmeter: x: the folder is not empty; it holds \.part-[a-zA-Z0-9]{6}, of a run that goes on or was killed$'
touch x/y
expect_status 1 "$WARPMETER" reassemble -q -o x a.pcap
expect_one_line '^warpmeter: x: the folder is not empty; files of streams get one of their own$'
rm -r x
no_leftovers

# Who reads no more ends it without a word.
"$TRAFFIC_GEN" --packets $((20000 / SCALE)) --mean-packets 20 -o many.pcap
for order in '' --unordered; do
  for format in records json; do
    { status=0; "$WARPMETER" reassemble -q $order --format $format -o gone -o - many.pcap 2> said.txt || status=$?; echo $status > status.txt; } |
      head -c 10 > head.txt
    [ "$(cat status.txt)" = 141 ] && [ ! -s said.txt ] || fail "exit status $(cat status.txt): $(cat said.txt)"
    [ ! -e gone ] && [ -z "$(find . -name '*.part-*')" ] || fail "left behind: $(ls)"
  done
done

# A second signal ends it at once, here while nobody reads what the first one has it finish.
for signal in INT TERM; do
  mkfifo unread; exec 3<> unread
  env --default-signal=INT "$WARPMETER" reassemble -q --unordered -o x.json -o unread many.pcap & reassemble=$!
  wait_for 60 pipe_holds_some unread
  kill -$signal $reassemble; sleep 0.5
  kill -0 $reassemble || fail "the first SIG$signal ended it, with what it has to write unwritten"
  kill -$signal $reassemble
  status=0; wait $reassemble || status=$?
  [ $status = $((128 + $(kill -l $signal))) ] && [ ! -e x.json ] || fail "exit status $status: $(ls)"
  exec 3>&-; rm unread
done
no_leftovers
