#!/usr/bin/env bash
# Words that mean nothing get the one that was probably meant, in one line; the help can be asked for as a command.
. "$(dirname "$0")/common.sh"
capture=$DATA/first-look.pcap
usage() {
  local wanted=$1
  shift
  expect_status 2 "$WARPMETER" "$@"
  expect_one_line "$wanted"
}
usage 'no command extrct: did you mean extract[?]' extrct "$capture"
usage 'no command reprot: did you mean report[?]' reprot
usage 'frobnicate is neither a command nor a file; commands are extract, live, show, info, report' frobnicate
usage 'a command comes first' -o a.csv "$capture"
cp "$capture" trace.pcap
usage 'trace.pcap is a file, not a command: warpmeter extract trace.pcap$' trace.pcap
"$WARPMETER" extract -q -o flows.csv trace.pcap
usage 'flows.csv is a file, not a command: warpmeter show flows.csv$' flows.csv --top 3
usage 'extract has no option --idle-timout: did you mean --idle-timeout[?].*warpmeter extract --help' \
  extract --idle-timout 3 trace.pcap
usage '--memroy: did you mean --memory[?]' extract --memroy=3G trace.pcap
usage 'show has no option --sotr: did you mean --sort[?]' show flows.csv --sotr bytes
usage 'show has no option --biflow: it is one of extract' show --biflow flows.csv
usage 'extract has no option -Z ' extract -Z trace.pcap
usage 'INPUT.*warpmeter extract --help' extract

expect_status 2 "$WARPMETER"
[ ! -s stdout.txt ] || fail "standard output is not empty"
grep -q '^Usage: warpmeter COMMAND' stderr.txt && grep -q '^  extract ' stderr.txt || fail "no help: $(cat stderr.txt)"
[ "$(wc -l < stderr.txt)" -lt 25 ] || fail "not short"
"$WARPMETER" --help > long.txt
cmp stderr.txt long.txt
"$WARPMETER" help | cmp - long.txt
"$WARPMETER" help show > help.txt
"$WARPMETER" show --help | cmp - help.txt
usage 'nonsense is neither' help nonsense
