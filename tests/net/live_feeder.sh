#!/usr/bin/env bash
# Another program feeds packets through shared memory: the example of the docs feeds a capture, and its Flow Records are
# those that extract makes, times too. Either may come first, be stopped, or be killed; every frame is accounted for.
. "$(dirname "$0")/../e2e/common.sh"
[ -n "${FEEDER:-}" ] || { echo "a build of examples/, which a C compiler makes, runs this"; exit 77; }
NAME=test-$$
"$TRAFFIC_GEN" --packets $((20000 / SCALE)) --mean-packets 20 -o traffic.pcap
"$WARPMETER" extract -q -o expected.csv traffic.pcap
FED= LIVE=
trap 'kill -9 $FED $LIVE 2>/dev/null || true; rm -rf "$SCRATCH"' EXIT

start_live() {  # OPTION...
  : >live.txt  # what the one before said
  "$WARPMETER" live -i shm:$NAME --stats stats.json "$@" 2>live.txt &
  LIVE=$!
  wait_for 20 grep -q '^warpmeter: capturing from' live.txt
}
start_feeder() {  # OPTION... FILE
  "$FEEDER" "${@:1:$#-1}" $NAME "${!#}" >fed.txt 2>fed.err &
  FED=$!
}
# ended STATUS PID: of a process of this script.
ended() {
  local got=0
  wait "$2" || got=$?
  if [ "$2" = "$FED" ]; then FED=; else LIVE=; fi
  [ "$got" = "$1" ] || { cat live.txt fed.err >&2; fail "exit status $got, expected $1"; }
}
told() { grep -qE -- "$1" live.txt || { cat live.txt >&2; fail "expected /$1/"; }; }
count() { sed -n "s/.*$1 \([0-9]*\).*/\1/p" fed.txt; }
# stats CONDITION: of `offered`, `received` and `full`, sums over the rings.
stats() {
  python3 - "$1" <<'PY'
import json, sys
s = json.load(open('stats.json'))
rings = s['capture']['rings']
offered, received, full = (sum(r[name] for r in rings) for name in ('offered', 'received', 'lost because it was full'))
assert received == s['packets read'] and offered == received + full
assert eval(sys.argv[1]), (sys.argv[1], s['capture'])
PY
}

# The meter first, then the feeder first.
start_live -o got.csv
told "shm:$NAME waits for its feeder"
start_feeder traffic.pcap
ended 0 $FED
ended 0 $LIVE
cmp expected.csv got.csv
[ "$(count dropped)" = 0 ] || fail "dropped"
stats "offered == $(count offered) and full == 0 and len(rings) == 1"
start_feeder -b 65536 -s 2000 traffic.pcap
start_live -o got.csv --rotate 1h
ended 0 $LIVE
ended 0 $FED
told "its feeder has come, rings: 1"
records() { cat "$@" | grep -v ^src_addr | sort; }
cmp <(records expected.csv) <(records got.*Z.csv)  # also where flows are ended by time: it is that of the capture

# Several rings of the feeder, in one and in as many of the meter: flows stay whole. (With VLAN tags, or in copies of a
# mirror port, the example would look at other bytes.)
"$TRAFFIC_GEN" --packets $((20000 / SCALE)) --mean-packets 20 --duplicate 0 --vlan 0 -o whole.pcap
"$WARPMETER" extract -q -o whole.csv whole.pcap
for rings in 1 3; do
  start_live -o got.csv --rings $rings
  start_feeder -q 3 whole.pcap
  ended 0 $LIVE
  ended 0 $FED
  cmp whole.csv got.csv
  stats "len(rings) == $rings and all(r['received'] for r in rings)"
done

# Stopped, so that its ring becomes full: what was dropped is counted, by both alike.
start_live -o got.csv
start_feeder -d -k -b 65536 -s 2000 -t 3 traffic.pcap
wait_for 20 grep -q 'has come' live.txt
kill -STOP $LIVE
sleep 0.3
kill -CONT $LIVE
kill -TERM $FED
ended 0 $FED
ended 0 $LIVE
stats "full == $(count dropped) > 0 and offered == $(count offered) and all(r['times full'] for r in rings)"

# A second meter, and a second feeder.
start_live -o got.csv
expect_status 1 "$WARPMETER" live -i shm:$NAME -o second.csv
expect_one_line "^warpmeter: shm:$NAME: another process takes its packets already$"
start_feeder -k traffic.pcap
wait_for 20 grep -q 'has come' live.txt
expect_status 1 "$FEEDER" $NAME traffic.pcap
expect_one_line '^feeder: refused: another feeder feeds this meter$'

# The feeder is killed: what it gave is metered, and that it died is told.
kill -9 $FED
wait $FED || true
FED=
ended 3 $LIVE
told "^warpmeter: shm:$NAME: the feeder is gone, and did not say that it ended$"
stats "0 < received"

# The meter is killed: its feeder goes on, drops what finds no room, and the next meter takes what is left.
start_live -o first.csv
start_feeder -d -k -b 65536 -s 2000 traffic.pcap
wait_for 20 grep -q 'has come' live.txt
kill -9 $LIVE
wait $LIVE || true
LIVE=
start_live -o got.csv
wait_for 20 grep -q 'has come' live.txt
kill -TERM $FED
ended 0 $FED
ended 0 $LIVE
stats "offered <= $(count offered)"

# A feeder written by the documents alone; and with one number that is wrong: one line, and what came before is metered.
python_feeder() { python3 "$SOURCE/tests/net/live/feeder.py" $NAME "$@" >fed.txt; }
start_live -o got.csv
python_feeder traffic.pcap
ended 0 $LIVE
cmp expected.csv got.csv
for wrong in 'captured 70000' 'original 3' 'link 147' 'flags 2' 'time_ns -9223372036854775808' 'write 12' 'passed_ns 4611686018427387904'; do
  start_live -o got.csv
  python_feeder "$DATA/first-look.pcap" $wrong
  ended 3 $LIVE
  told "^warpmeter: shm:$NAME: its ring 0 is damaged: .*${wrong#* }.* at byte [0-9]+$"
  grep -q 'its ring 0 is damaged' fed.txt || fail "$wrong: the feeder was not told"
  case ${wrong% *} in  # write is wrong for all that was not taken yet, passed_ns for nothing
    write) stats 'received <= 300' ;;
    passed_ns) stats 'received == 300' ;;
    *) stats 'received == 299' ;;
  esac
done
start_live -o got.csv
python_feeder "$DATA/first-look.pcap" dropped 18446744073709551615
ended 3 $LIVE
told "^warpmeter: shm:$NAME: its ring 0 is damaged: offered 300 frames, but taken 300 and dropped 18446744073709551615, at byte"
stats 'offered == received == 300'
start_live -o got.csv
python_feeder "$DATA/first-look.pcap" version 2
grep -q 'a ring of version 2, known is version 1' fed.txt || fail "the feeder was not told"
"$FEEDER" $NAME "$DATA/first-look.pcap" >fed.txt
ended 0 $LIVE
told "^warpmeter: shm:$NAME: a feeder was refused: a ring of version 2, known is version 1$"

# Names that nobody can have.
expect_status 2 "$WARPMETER" live -i shm:a/b -o got.csv
expect_one_line "shm:a/b: a feeder's name has 1 to 64 letters"
no_leftovers
