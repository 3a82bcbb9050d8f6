#!/usr/bin/env bash
# Names of files and text out of captures never reach a terminal or a log as they are: no control character, no broken
# UTF-8, no line more. JSON keeps the names.
. "$(dirname "$0")/../common.sh"
name=$'a\nb\033]0;x\007\233\302\233\342\200\256c'
shown='a\\nb\\x1b\]0;x\\x07\\x9b\\xc2\\x9b\\xe2\\x80\\xaec'
clean() {  # FILE
  ! LC_ALL=C grep -nP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xa8-\xae]' "$1" || fail "$2: raw text"
  iconv -f UTF-8 -t UTF-8 "$1" > /dev/null 2>&1 || fail "$2: broken UTF-8"
}
said() {  # STATUS LINES COMMAND...: that many lines on standard error, with the name among them
  expect_status "$1" "${@:3}"
  clean stderr.txt "${*:3}"
  clean stdout.txt "${*:3}"
  [ "$2" = some ] || [ "$(wc -l < stderr.txt)" = "$2" ] || { cat stderr.txt >&2; fail "not $2 lines: ${*:3}"; }
  grep -qE -- "$shown" stdout.txt stderr.txt || { cat -v stderr.txt >&2; fail "not the name: ${*:3}"; }
}
said 1 1 "$WARPMETER" extract "$name.pcap"
said 1 1 "$WARPMETER" info "$name.pcap"
said 1 1 "$WARPMETER" show "$name.csv"
said 1 1 "$WARPMETER" report "$name.csv" -o page.html
said 2 1 "$WARPMETER" "$name"
said 2 1 "$WARPMETER" extract "--$name" x
said 2 1 "$WARPMETER" extract --memory "$name" x
said 2 1 "$WARPMETER" extract -o "$name" "$DATA/first-look.pcap"
said 2 1 "$WARPMETER" extract --format "$name" "$DATA/first-look.pcap"
said 1 1 "$WARPMETER" extract -o "folder/$name.csv" "$DATA/first-look.pcap"
said 2 1 "$WARPMETER" show --filter "$name" x.csv
"$WARPMETER" extract -q -o x.csv "$DATA/first-look.pcap"
said 2 1 "$WARPMETER" show --sum "$name" x.csv

# Damage.
head -c 5000 "$DATA/first-look.pcap" > "$name.pcap"
said 3 1 "$WARPMETER" extract -q -o flows.csv "$name.pcap"
said 3 1 "$WARPMETER" info "$name.pcap"
"$WARPMETER" extract -q -v -o flows.csv "$name.pcap" "$DATA/first-look.pcap" 2> stderr.txt || [ $? = 3 ]
clean stderr.txt 'extract -v'
"$WARPMETER" info --json "$name.pcap" > info.json 2> /dev/null || [ $? = 3 ]
python3 -c 'import json; name = json.load(open("info.json"))["file"]; assert name.startswith("a\nb\x1b]0;x\x07"), name'
{ head -n 3 flows.csv; echo 'not a flow'; } > "$name.csv"
said 3 some "$WARPMETER" show -q "$name.csv" -o x.csv
said 3 1 "$WARPMETER" report "$name.csv" -o page.html
clean page.html 'the page'
grep -qE "$shown" page.html || fail "the page does not name its input"
