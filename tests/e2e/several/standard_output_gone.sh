#!/usr/bin/env bash
# Standard output that is full or closed: exit status 1 and one line, also for what is no Flow Records. Closed descriptors
# are not given to files that are opened later.
. "$(dirname "$0")/../common.sh"
cp "$DATA/first-look.pcap" t.pcap
"$WARPMETER" extract -q -o a.csv t.pcap
fails() {
  local got=0
  "$@" 2> stderr.txt > /dev/full || got=$?
  : > stdout.txt
  [ $got = 1 ] || fail "exit status $got, full: $*"
  expect_one_line '^warpmeter: standard output: cannot be written: No space left on device$'
  got=0
  "$@" 2> stderr.txt >&- || got=$?
  [ $got = 1 ] || fail "exit status $got, closed: $*"
  expect_one_line '^warpmeter: standard output: cannot be written: Bad file descriptor$'
}
fails "$WARPMETER" --help
fails "$WARPMETER" --version
fails "$WARPMETER" extract --help
fails "$WARPMETER" show --help
fails "$WARPMETER" info
fails "$WARPMETER" info t.pcap
fails "$WARPMETER" info --json t.pcap
fails "$WARPMETER" info t.pcap t.pcap
fails "$WARPMETER" extract -q t.pcap
fails "$WARPMETER" show -q a.csv
fails "$WARPMETER" report a.csv -o -
fails "$WARPMETER" memory -q t.pcap
mkdir folder
cp t.pcap folder
for output in '' '-o -' '-o - --format json' '--biflow'; do
  # shellcheck disable=SC2086
  fails "$WARPMETER" live -q -i folder:folder --duration 1s $output
done

# With all three closed a file still gets what it should, and nothing else.
"$WARPMETER" extract -o closed.csv --stats stats.json t.pcap 0<&- 1>&- 2>&-
cmp closed.csv a.csv
python3 -m json.tool stats.json > /dev/null
"$WARPMETER" show -o shown.csv a.csv 0<&- 1>&- 2>&-
cmp shown.csv a.csv
status=0; "$WARPMETER" extract -q -o x.csv - 0<&- 2> stderr.txt || status=$?
[ $status = 1 ] || fail "exit status $status without standard input"
expect_one_line 'standard input'
[ ! -e x.csv ] || fail "there is an output"
