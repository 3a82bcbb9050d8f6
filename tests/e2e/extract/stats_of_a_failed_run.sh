#!/usr/bin/env bash
# --stats is written of runs that fail, with the exit status and what was said; usage errors write none.
. "$(dirname "$0")/../common.sh"
capture=$DATA/first-look.pcap
# fails MESSAGE OPTION..., of extract; command_fails MESSAGE COMMAND OPTION...
fails() { command_fails "$1" extract "${@:2}"; }
command_fails() {
  local message=$1 command=$2
  shift 2
  rm -f stats.json
  expect_status 1 "$WARPMETER" "$command" -q --stats stats.json "$@"
  expect_one_line "$message"
  python3 - <<'PY'
import json
stats, said = json.load(open('stats.json')), open('stderr.txt').read()
assert stats['exit_status'] == 1, stats
assert said == f"warpmeter: {stats['error']}\n", (stats, said)
PY
}
fails 'nowhere.pcap: No such file' -o a.csv nowhere.pcap
echo 'no capture' > text.pcap
fails 'text.pcap' -o a.csv text.pcap
fails 'nowhere/a.csv: cannot be written' -o nowhere/a.csv "$capture"
fails '/dev/full: cannot be written: No space left on device' -o a.csv -o /dev/full "$capture"
"$TRAFFIC_GEN" --packets 3000 --mean-packets 4 -o many.pcap
fails 'cannot create a run file' --run-memory 1 --tmpdir nowhere -o a.csv many.pcap
fails 'nowhere: cannot create a run file: No such file or directory' --tmpdir nowhere -o a.csv "$capture"
touch file
fails 'file: cannot create a run file: Not a directory' --tmpdir file -o a.csv "$capture"
TMPDIR=nowhere "$WARPMETER" extract -q -o a.csv "$capture"; rm a.csv file  # which nobody has named, and nothing needs
if "$WARPMETER" info | grep -q 'IPFIX *built in'; then
  fails 'cannot connect' --collector "tcp://127.0.0.1:$(free_port tcp)" --collector-timeout 1s -o a.csv "$capture"
fi
for command in decode reassemble memory; do
  command_fails 'nowhere.pcap: No such file' $command -o a.json nowhere.pcap
  command_fails 'text.pcap' $command -o a.json text.pcap
done
mkdir full && touch full/file
command_fails 'full: the folder is not empty' decode -o full "$capture"
command_fails 'full: the folder is not empty' reassemble -o a.json -o full "$capture"
command_fails 'nowhere/a.json: cannot be written' reassemble -o nowhere/a.json "$capture"
command_fails 'nowhere/a.csv: cannot be written' memory -o nowhere/a.csv "$capture"
[ ! -e a.csv ] || fail "there is an output"
rm stats.json
expect_status 2 "$WARPMETER" extract -q --stats stats.json -o a.csv "$capture" tcp port
[ ! -e stats.json ] || fail "stats of a usage error"
# Never over what was given as an input, by itself or in a folder.
mkdir folder && cp "$capture" folder/a.pcap && ln -s folder/a.pcap link.pcap
for inputs in 'folder/a.pcap nowhere.pcap' 'folder nowhere.pcap' 'link.pcap nowhere.pcap'; do
  # shellcheck disable=SC2086
  expect_status 1 "$WARPMETER" extract -q --stats folder/a.pcap -o a.csv $inputs
  expect_one_line 'nowhere.pcap: No such file|is an input'
  cmp folder/a.pcap "$capture"
done
# Where they cannot be written themselves, one line says so; they come last, when the output is there.
expect_status 1 "$WARPMETER" extract -q --stats /dev/full -o a.csv "$capture"
expect_one_line '/dev/full: cannot be written'
"$WARPMETER" extract -q -o wanted.csv "$capture"; cmp a.csv wanted.csv
expect_status 1 "$WARPMETER" extract -q --stats nowhere/stats.json -o b.csv "$capture"
expect_one_line 'nowhere/stats.json: cannot be written'
[ ! -e b.csv ] || fail "there is an output"
no_leftovers
