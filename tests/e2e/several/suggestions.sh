#!/usr/bin/env bash
# Words that mean nothing get the one that was probably meant, in one line; the help can be asked for as a command.
. "$(dirname "$0")/../common.sh"
capture=$DATA/first-look.pcap
usage() {
  local wanted=$1
  shift
  expect_status 2 "$WARPMETER" "$@"
  expect_one_line "$wanted"
}
usage 'no command extrct: did you mean extract[?]' extrct "$capture"
usage 'no command reprot: did you mean report[?]' reprot
usage 'frobnicate is neither a command nor a file; commands are extract, decode, reassemble, packets, coalesce, live, show, info, report, merge, memory, policy' frobnicate
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
usage 'no command reasemble: did you mean reassemble[?]' reasemble
usage 'reassemble has no option --blok-size: did you mean --block-size[?]' reassemble --blok-size 4K trace.pcap
usage 'extract has no option -Z ' extract -Z trace.pcap
usage 'no command shwo: did you mean show[?]' shwo
usage 'show has no option --tpo: did you mean --top[?]' show flows.csv --tpo 3
usage 'extract has no option --fromat: did you mean --format[?]' extract --fromat csv trace.pcap
usage 'no option --hlep: did you mean --help[?]' --hlep
usage 'extract has no option -r: what is read is named without an option' extract -r trace.pcap
usage 'extract has no option -w: what is written is named by -o' extract trace.pcap -w flows.csv
usage '=3: not expected' extract -q=3 trace.pcap
usage '--format cvs: not one of csv, json, ipfix, parquet, zeek, table [(]see warpmeter extract --help' extract --format cvs trace.pcap
usage '--output: its value is missing: FILE' extract trace.pcap -o
usage '--ring: its value is missing: auto, xdp, packet, pcap' live --ring
usage 'INPUT is required, as in: warpmeter extract trace.pcap [(]see warpmeter extract --help' extract
usage '--output is required, as in: warpmeter report ' report flows.csv
usage '--interface is required, as in: warpmeter live -i eth0' live
usage 'report has no option --outptu: did you mean --output[?]' report flows.csv --outptu r.html
usage 'extract has no option --nonsense ' extract --nonsense
usage '--quiet: it takes no value' extract --quiet=foo trace.pcap

# A filter where files are named; and flows where captures are.
expect_status 3 "$WARPMETER" show -q flows.csv port 443
head -1 stderr.txt | grep -qx "warpmeter: no file has the name port; a filter goes behind -f: -f 'port 443'" ||
  { cat stderr.txt; fail "no hint at -f"; }
expect_status 3 "$WARPMETER" show -q flows.csv missing.csv
[ "$(grep -c . stderr.txt)" = 1 ] || { cat stderr.txt; fail "a hint where there is none"; }
usage "'TCP' is no column [(]near: tcp[)]" show flows.csv -f TCP
usage "'HOST' is no column [(]near: host[)]" show flows.csv -f 'HOST 10.0.0.1'
usage "'host' stands before an address or a prefix such as 10.0.0.0/8, and there is no column" show flows.csv -f 'host www'
"$WARPMETER" extract -q -o flows.json trace.pcap
for flows in flows.csv flows.json; do
  expect_status 1 "$WARPMETER" extract $flows
  expect_one_line "^warpmeter: $flows: not a pcap, .* file [(]Flow Records are read by warpmeter show[)]$"
done

# A variable of a script that is not set: nothing is taken in its place, and nothing written over.
cp trace.pcap other.pcap
usage "^warpmeter: --stats '': there is no value$" extract -q -o x.csv --stats= trace.pcap other.pcap
usage "^warpmeter: --output '': there is no value$" report --output= flows.csv
cmp trace.pcap "$capture"

# Behind two dashes nothing is an option, wherever they stand.
cp trace.pcap ./-other.pcap
"$WARPMETER" extract -q -o two.csv trace.pcap -- -other.pcap
"$WARPMETER" extract -q trace.pcap ./-other.pcap | cmp - two.csv

expect_status 2 "$WARPMETER"
[ ! -s stdout.txt ] || fail "standard output is not empty"
grep -q '^Usage: warpmeter COMMAND' stderr.txt && grep -q '^  extract ' stderr.txt || fail "no help: $(cat stderr.txt)"
[ "$(wc -l < stderr.txt)" -lt 39 ] || fail "not short"
[ "$(wc -L < stderr.txt)" -le 80 ] || fail "not in 80 columns"
for command in extract decode reassemble live show info report; do
  grep -q "^ *warpmeter $command" stderr.txt || fail "no example of $command"
done
"$WARPMETER" --help > long.txt
cmp stderr.txt long.txt
"$WARPMETER" help | cmp - long.txt
"$WARPMETER" help show > help.txt
"$WARPMETER" show --help | cmp - help.txt
usage 'nonsense is neither' help nonsense
