#!/usr/bin/env bash
# `policy check` says one line of a good file; of another one line with the group, the rule and why, exit status 2.
. "$(dirname "$0")/../common.sh"
example=$SOURCE/data/policies/example.toml
expect_status 0 "$WARPMETER" policy check "$example"
echo "$example: 8 groups, 10 rules, 6 patterns, longest path 4 rounds (at most 8)" | diff - stdout.txt
[ ! -s stderr.txt ] || fail "it says more"

refused() {
  local wanted=$1
  printf '%b' "$2" > p.toml
  expect_status 2 "$WARPMETER" policy check p.toml
  expect_one_line "^warpmeter: p.toml: $wanted$"
  expect_status 2 "$WARPMETER" policy explain p.toml --svg graph.svg
  expect_one_line "^warpmeter: p.toml: $wanted$"
}
group='[[group]]\nid = 3\n[[group.rule]]\n[[group.rule]]\n'
refused "group 3 rule 2: unknown key prot [(]line 5[)]" "${group}prot = 6"
refused "group 3 rule 2: pattern 'a[*]': matches the empty string [(]line 5[)]" "${group}payload = 'a*'"
refused "group 3 rule 2: '10.0.0.1/8' has host bits set [(]line 5[)]" "${group}src = '10.0.0.1/8'"
refused "cycle: 3 -> 3" "${group}next = 3"
refused "group 3: there is no group 7" "${group}next = 7"
refused "TOML: .* [(]line 1[)]" "x"
refused "TOML: .* [(]line 1[)]" '\377'
[ ! -e graph.svg ] || fail "there is a drawing of what is none"

# What is never reached may be meant so.
printf '[init]\ndefault = "DROP"\n%b' "$group" > p.toml
expect_status 0 "$WARPMETER" policy check p.toml
grep -qx 'warpmeter: p.toml: group 3 is never reached' stderr.txt || fail "nothing of group 3: $(cat stderr.txt)"
printf '' > p.toml
expect_status 0 "$WARPMETER" policy check p.toml
grep -qx 'p.toml: 0 groups, 0 rules, 0 patterns, longest path 0 rounds (at most 16)' stdout.txt
grep -qx 'warpmeter: p.toml: no group: no packet gets a label' stderr.txt || fail "nothing of no groups: $(cat stderr.txt)"

# So may what no packet meets, or every packet: one line each beside that of a good file.
printf '[init]\ndefault = 3\n%b' "${group}port = 70000\npayload = []" > p.toml
for command in check explain; do
  expect_status 0 "$WARPMETER" policy $command p.toml
  grep -q '1 group, 2 rules, 0 patterns' stdout.txt || fail "not the policy: $(cat stdout.txt)"
  diff stderr.txt - <<'TEXT' || fail "of what never or always holds"
warpmeter: p.toml: group 3 rule 2: port 70000 never holds: it is 0 to 65535 (line 7)
warpmeter: p.toml: group 3 rule 2: payload: an empty list is no condition (line 8)
TEXT
done
for good in stock "$SOURCE"/data/policies/*.toml; do
  expect_status 0 "$WARPMETER" policy check "$good"
  [ ! -s stderr.txt ] || fail "$good: $(cat stderr.txt)"
done

expect_status 1 "$WARPMETER" policy check nowhere.toml
expect_one_line "^warpmeter: nowhere.toml: cannot be read: No such file or directory$"
expect_status 2 "$WARPMETER" policy check
expect_one_line "FILE is required, as in: warpmeter policy check policy.toml"
expect_status 2 "$WARPMETER" policy chekc "$example"
expect_one_line "policy chekc: there are policy check, policy explain and policy test"
expect_status 2 "$WARPMETER" policy check "$example" --svg graph.svg
expect_one_line "[-]-svg goes with policy explain"
for option in '--stats s.json' --decapsulate '--rounds 3' '--expect e.txt' '--threads 2'; do
  expect_status 2 "$WARPMETER" policy explain "$example" $option
  name=${option%% *}
  expect_one_line "[-]${name#-} goes with policy test"
done
[ ! -e s.json ] || fail "a file of --stats"
expect_status 0 "$WARPMETER" policy check -q "$example"
expect_status 2 "$WARPMETER" policy check - < "$example"
expect_one_line "a policy is not read from standard input: name a file"
! "$WARPMETER" policy check "$example" > /dev/full 2> full.txt || fail "a full disk is no failure"
# Interrupted while patterns are compiled, which takes minutes.
{ printf '[[group]]\nid = 1\n'
  printf "[[group.rule]]\npayload = '(a|b|[c-f]{1,20}x)[^\\\\r]{100,900}(foo|bar%s).{0,300}z'\n" {1..120}; } > slow.toml
ended_at_once() {  # STATUS COMMAND...
  local wanted=$1 status=0
  shift
  env --default-signal=INT,TERM "$@" > /dev/null 2> slow.txt & local program=$!
  wait_for 60 interruptible $program
  sleep 0.3
  kill -$signal $program
  for ((tries = 0; tries < 100 * SCALE; ++tries)); do
    kill -0 $program 2> /dev/null || break
    sleep 0.1
  done
  kill -KILL $program 2> /dev/null || true
  wait $program || status=$?
  [ "$status" = "$wanted" ] || fail "$*: exit status $status behind SIG$signal: $(cat slow.txt)"
}
for signal in INT TERM; do
  ended_at_once 130 "$WARPMETER" policy check slow.toml
  ended_at_once 130 "$WARPMETER" policy test slow.toml "$DATA/first-look.pcap"
  ended_at_once 130 "$WARPMETER" extract -q -o slow.csv "$DATA/first-look.pcap" --policy slow.toml
  ended_at_once 0 "$WARPMETER" live -i folder:. -o slow.csv --policy slow.toml
done
[ ! -e slow.csv ] || fail "an output of nothing"
# Or while a named pipe is waited for.
mkfifo pipe.toml
"$WARPMETER" extract -q --policy pipe.toml -o pipe.csv "$DATA/first-look.pcap" 2> interrupted.txt & program=$!
for ((tries = 0; tries < 100; ++tries)); do
  kill -INT $program 2> /dev/null || break
  sleep 0.05
done
status=0; wait $program || status=$?
[ "$status" = 130 ] || fail "exit status $status: $(cat interrupted.txt)"
