#!/usr/bin/env bash
# What is no whole set, or no one trace, gives one line and no output: half a copy, a file of another set, sets that differ,
# captures beside them, damage; other commands say what a segment file is.
. "$(dirname "$0")/../common.sh"
capture=$DATA/first-look.pcap
"$TRAFFIC_GEN" --packets 3000 --flows 100 --mean-packets 20 -o other.pcap
"$WARPMETER" decode -q -o set "$capture"
"$WARPMETER" decode -q -o other other.pcap
# refused STATUS PATTERN OPTION...
refused() {
  local status=$1 pattern=$2
  shift 2
  expect_status "$status" "$WARPMETER" extract -o out.csv "$@"
  expect_one_line "$pattern"
  [ ! -e out.csv ] || fail "there is an output"
}
part() { printf '%s/part-%02d-of-16.segments' "$1" "$2"; }
fresh() { rm -rf copy; cp -r set copy; }

fresh; rm "$(part copy 6)"
refused 1 '^warpmeter: copy: part 6 of 16 is missing$' copy
refused 1 '^warpmeter: copy: part 6 of 16 is missing$' --partition 6/16 copy
refused 1 '^warpmeter: copy: part 6 of 16 is missing$' --partition 1/2 copy
"$WARPMETER" extract -q -o out.csv --partition 5/16 copy; rm out.csv
cp "$(part other 6)" copy
refused 1 "^warpmeter: $(part copy 6) and $(part copy 1) are of different sets, but lie in one folder\$|^warpmeter: $(part copy 1) and $(part copy 6) are of different sets, but lie in one folder\$" copy
refused 1 'are of different sets, but lie in one folder$' --partition 1/16 copy
cp "$(part copy 5)" "$(part copy 6)"
refused 1 "^warpmeter: $(part copy 5) and $(part copy 6) are the same part of one set\$" copy
for version in 1:'which is too old: decode its captures again' 3:'which is not known: of a newer warpmeter'; do
  fresh; printf "\\x0${version%%:*}" | dd of="$(part copy 7)" bs=1 seek=8 conv=notrunc status=none
  refused 1 "^warpmeter: $(part copy 7): segment file of version ${version%%:*}, ${version#*:}\$" copy
done
fresh; : > "$(part copy 7)"
refused 1 "^warpmeter: $(part copy 7): the file is empty\$" copy
for bytes in 9 30 100; do
  fresh; head -c $bytes "$(part set 7)" > "$(part copy 7)"
  refused 1 "^warpmeter: $(part copy 7): segment file is damaged: cut short\$" copy
done
fresh; printf x | dd of="$(part copy 7)" bs=1 seek=200 conv=notrunc status=none
refused 1 "^warpmeter: $(part copy 7): segment file is damaged: block of row 0: its checksum is wrong\$" copy
fresh; cp "$capture" copy
refused 2 "^warpmeter: $(part copy 1) holds segments, copy/first-look.pcap does not: they are no one trace\$" copy
refused 2 'holds segments, other.pcap does not' set other.pcap

refused 1 '^warpmeter: (set|other) and (set|other) were decoded with different hash seeds; see --hash-seed of decode$' set other
for name in one two; do "$WARPMETER" decode -q --hash-seed x -o $name $([ $name = one ] && echo "$capture" || echo other.pcap); done
refused 1 '^warpmeter: .* overlap in time: their captures must be decoded together, in one set; ' one two
"$WARPMETER" extract -q -o out.csv --order given one two
"$WARPMETER" extract -q -o wanted.csv --order given "$capture" other.pcap
cmp out.csv wanted.csv; rm out.csv
"$WARPMETER" decode -q --hash-seed x --partitions 4 -o four other.pcap
"$WARPMETER" decode -q --hash-seed x --key-vlan -o vlan other.pcap
refused 1 'were decoded with different --partitions$' --order given one four
refused 1 'were decoded with different options$' --order given one vlan
refused 2 '^warpmeter: --partition 1/8: four has 4 partitions$' --partition 1/8 four

refused 2 "^warpmeter: filter 'tcp': segments cannot be filtered, warpmeter decode takes it \(nor is there a file" set tcp
refused 2 '^warpmeter: --key-vlan: these segments were decoded without it$' --key-vlan set
refused 2 '^warpmeter: --decapsulate: these segments were decoded without it$' --decapsulate set
refused 2 '^warpmeter: --partition is for segment files: see warpmeter decode$' --partition 1/16 "$capture"
for bad in 0/16 17/16 3/15 1/128 1 1/ /16 -1/16 1/16x 1/16/1 '' ' 1/16'; do
  refused 2 "^warpmeter: --partition $bad: not I/N, as 3/16: " --partition "$bad" set
done
mkfifo pipe; cat "$(part set 1)" > pipe 2> /dev/null &
refused 1 '^warpmeter: pipe: not a .* \(segments are read by warpmeter extract, and from files only\)$' pipe
wait

# info takes any sets, half copies too, as extract might not; but not captures beside them.
fresh; rm "$(part copy 6)"; cp "$(part other 6)" copy
"$WARPMETER" info copy > text.txt
grep -q '^  format  *segments, 15 of 16 parts$' text.txt && grep -q '^  format  *segments, 1 of 16 parts$' text.txt ||
  fail "$(cat text.txt)"
"$WARPMETER" info --json set other > lines.json
[ "$(wc -l < lines.json)" = 2 ] || fail "$(cat lines.json)"
expect_status 2 "$WARPMETER" info set other.pcap
expect_one_line "^warpmeter: $(part set 1) holds segments, other.pcap does not: ask for one after the other\$"

file=$(part set 1)
for command in show "report -o x.html" "merge -o x.csv"; do
  expect_status 1 "$WARPMETER" $command "$file"
  expect_one_line '^warpmeter: set/part-01-of-16.segments: no Flow Records: .*, but segments, which warpmeter extract reads$'
  expect_status 1 "$WARPMETER" $command set
  expect_one_line '^warpmeter: set: no Flow Records in this folder'
done
no_leftovers
