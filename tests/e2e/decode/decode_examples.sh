#!/usr/bin/env bash
# What docs/decode.md shows, one thing after the other (tests/docs runs each by itself): its command lines, the lines for a shell
# with xargs, and the makefile all end with the flows of extract.
. "$(dirname "$0")/../common.sh"
command -v make > /dev/null && command -v zcat > /dev/null || { echo "make and gzip run this"; exit 77; }
page=$SOURCE/docs/decode.md
mkdir bin captures
ln -s "$WARPMETER" bin/warpmeter
PATH=$PWD/bin:$PATH
"$TRAFFIC_GEN" --packets 12000 --flows 200 --mean-packets 20 -o all.pcap
python3 "$SOURCE/tests/e2e/cut_capture.py" all.pcap 2 'captures/{}.pcap'
mv captures/0.pcap captures/monday.pcap; mv captures/1.pcap captures/tuesday.pcap
gzip -c all.pcap > huge.pcap.gz
"$WARPMETER" extract -q -o wanted.csv captures
"$WARPMETER" extract -q --idle-timeout 15s -o wanted-short.csv captures
block() { awk -v word="$1" '/^```/ { fenced = !fenced; inside = fenced && $0 == "```" word; next } inside' "$page"; }

# Line by line, as for somebody who reads on.
block '' > commands.txt
runs=0
while read -r line; do
  line=${line%%  #*}
  (eval "$line") > stdout.txt 2> stderr.txt < /dev/null || { cat stderr.txt; fail "$line"; }
  case $line in
    *flows.csv*) cmp flows.csv wanted.csv || fail "$line"; rm flows.csv ;;
    *short.csv*) cmp short.csv wanted-short.csv || fail "$line" ;;
  esac
  runs=$((runs + 1))
done < commands.txt
[ $runs -ge 11 ] || fail "only $runs commands"
"$WARPMETER" extract -q -o huge.csv huge; cmp huge.csv <("$WARPMETER" extract -q --format csv all.pcap)

block sh > lines.sh
grep -q xargs lines.sh
sh -e lines.sh
cmp flows.csv wanted.csv
rm -r sets part-*.csv flows.csv

block make > Makefile
grep -q ^flows.csv Makefile
make -s -j 3
cmp flows.csv wanted.csv
[ "$(make)" = "make: 'flows.csv' is up to date." ] || fail "make does it again"
rm sets/monday/part-03*
sleep 0.1   # times of files come in steps
touch captures/monday.pcap
make -s -j 3
cmp flows.csv wanted.csv
