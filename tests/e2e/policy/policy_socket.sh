#!/usr/bin/env bash
# live --policy-socket: what clients set, in Python and C, labels what comes from then on; what is wrong is told to who
# asked, and changes nothing. The socket is its owner's alone, only one run has it, and what is no socket stays.
. "$(dirname "$0")/../common.sh"
[ -n "${FEEDER:-}" ] || { echo "a build of examples/, which a C compiler makes, runs this"; exit 77; }
METER= OTHERS=
SLOW=
trap 'kill -9 $METER $OTHERS $SLOW 2>/dev/null || true; rm -rf "$SCRATCH"' EXIT
policy() { printf '[init]\ndefault = "%s"\n[[group]]\nid = 7\nname = "all"\nrule = [{ label = "%s" }]\n' "$1" "$2"; }
policy all before >policy.toml
policy all after >after.toml
policy OUT after >out.toml
"$TRAFFIC_GEN" --packets 2000 --icmp 0 --flows 10 -o second.pcap
"$TRAFFIC_GEN" --packets 2000 --icmp 0 --flows 20 --seed 9 -o third.pcap
{ "$WARPMETER" extract -q --policy policy.toml "$DATA/first-look.pcap"
  "$WARPMETER" extract -q --policy after.toml second.pcap | tail -n +2
  "$WARPMETER" extract -q --policy out.toml third.pcap | tail -n +2; } | sort >expected.csv

port=$(free_port tcp)
mkdir captures
LIVE="$WARPMETER live -i folder:captures --policy policy.toml --policy-socket"
$LIVE control -o live.csv --metrics $port 2>said.txt & METER=$!
wait_for 20 interruptible $METER
[ "$(stat -c '%F %a' control)" = 'socket 600' ] || fail "not for its owner alone"
metered() { metrics $port && grep -qE "^warpmeter_metered_packets_total $1\$" metrics.txt; }
python() { python3 "$SOURCE/examples/change_policy.py" control; }
c() { "$(dirname "$FEEDER")/example_change_policy" control; }
metering() {  # FILE: and waits until it is metered
  cp "$1" captures/
  packets=$((${packets:-0} + $("$WARPMETER" extract -q --stats - -o x.csv "$1" 2>/dev/null |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["packets_metered"])')))
  wait_for 20 metered $packets
}
metering "$DATA/first-look.pcap"
printf 'set_memory\n[[group]]\nid = 7\nname = "all"\nrule = [{ label = "after" }]\n' | python >answer.txt || fail "$(cat answer.txt)"
[ "$(cat answer.txt)" = ok ] || fail "not ok"
refused() {  # CLIENT ANSWER REQUEST
  ! printf "$3" | $1 >answer.txt || fail "taken: $3"
  [ "$(cat answer.txt)" = "error: $2" ] || { cat answer.txt >&2; fail "expected $2"; }
}
refused python 'group 7: there is no group 99' 'set_memory\n[[group]]\nid = 7\nmatch = 99\nrule = [{}]\n'
refused c 'cycle: 7 -> 7' 'set_memory\n[[group]]\nid = 7\nmatch = 7\nrule = [{}]\n'
refused c 'column q: outputs have the columns of fields that the run began with' \
  'set_memory\n[[group]]\nid = 8\nrule = [{ field = { q = "dns.name" } }]\n'
refused c 'the first line is set_memory, set_init or replace' ''
for client in "python3 $SOURCE/examples/change_policy.py" "$(dirname "$FEEDER")/example_change_policy"; do
  expect_status 1 $client nowhere </dev/null
  expect_one_line '^nowhere: No such file or directory$'
done
expect_status 1 "$(dirname "$FEEDER")/example_change_policy" "$(printf '%0108d' 0)" </dev/null
expect_one_line '0: longer than 107 bytes$'
metering second.pcap
printf 'set_init\n[[init.rule]]\nto = "OUT"\n' | c >answer.txt || fail "$(cat answer.txt)"
[ "$(cat answer.txt)" = ok ] || fail "not ok"
metering third.pcap
grep -qE '^warpmeter: policy: group 7 set, by process [0-9]+$' said.txt || fail "the change was not told"
grep -qE '^warpmeter: policy: an init rule set, to OUT, by process' said.txt || fail "the change was not told"
counted() { metrics $port && grep -q "^warpmeter_policy_$1\$" metrics.txt; }
wait_for 10 counted 'change_errors_total 4'
counted 'changes_total 2' || fail "changes are not counted"

# Hostile clients, who end after the capture does.
python3 - <<'PY' & OTHERS=$!
import socket, time
all = []
for i in range(200):
    s = socket.socket(socket.AF_UNIX); s.setblocking(False)
    try: s.connect('control'); s.send(b'set_init\n[[init.rule]]\nto = "DROP"\n')
    except BlockingIOError: pass
    all.append(s)
open('stuck', 'w').close()
time.sleep(100)
PY
wait_for 20 [ -e stuck ]
refuses() {  # PATTERN PATH
  expect_status 2 $LIVE "$2" -o other.csv
  expect_one_line "$1"
  [ ! -e other.csv ] || fail "an output of a run that was refused"
}
refuses 'policy-socket control: in use: ' control
ln -s after.toml link
for place in captures after.toml link; do refuses "policy-socket $place: no socket, but a file, folder or link" $place; done
[ -L link ] && policy all after | cmp - after.toml || fail "what was there has changed"
refuses 'at most 107 bytes' "/$(printf 'x%.0s' {1..107})"
refuses 'policy-socket no/control: No such file or directory' no/control
expect_status 2 "$WARPMETER" live -i folder:captures --policy-socket control -o other.csv

# Patterns that take minutes to compile, which nothing can interrupt: the end waits for nobody.
threads() { [ "$(ls /proc/$METER/task | wc -l)" $1 $idle ]; }
idle=$(ls /proc/$METER/task | wc -l)
{ printf 'set_memory\n[[group]]\nid = 9\n'
  printf '[[group.rule]]\npayload = "(a|b|[c-f]{1,20}x)[^\\r]{100,900}(foo|bar%s).{0,300}z"\n' {1..120}; } | python >slow.txt & SLOW=$!
wait_for 20 threads -gt
kill -INT $METER
timeout 10 tail -s 0.05 --pid=$METER -f /dev/null || fail "it waits for patterns"
wait $METER || fail "exit status $?"
METER=
! wait $SLOW || fail "a change that was not made is ok"
SLOW=
[ "$(cat slow.txt)" = 'error: no change any more: the run ends' ] || fail "$(cat slow.txt)"
sort live.csv | diff expected.csv - || fail "other Flow Records"
[ ! -e control ] || fail "the socket is still there"
