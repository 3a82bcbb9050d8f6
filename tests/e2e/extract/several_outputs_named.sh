#!/usr/bin/env bash
# Several outputs of one run appear together: where one cannot get its name in the end, those that had got theirs lose them
# again, and what was there before is there.
. "$(dirname "$0")/../common.sh"
capture=$DATA/first-look.pcap

# none_is_named COMMAND: a folder comes to where the second output is to be, while the capture is read.
none_is_named() {
  echo old > old.csv; echo old > old.json; chmod 640 old.csv old.json
  begin_open "$capture" "$WARPMETER" "$@" -
  mkdir late.csv late.json
  kill $feeder
  end_open
  [ $status = 1 ] || fail "exit status $status"
  expect_one_line '^warpmeter: late\.(csv|json): cannot be written: Is a directory'
  [ "$(cat old.csv old.json)" = $'old\nold' ] && [ "$(stat -c %a old.csv old.json | sort -u)" = 640 ] || fail "another file"
  [ -z "$(ls late.csv late.json | grep -v ':$' | grep . || true)" ] || fail "something in the folder"
  rmdir late.csv late.json
  rm -f stdout.txt stderr.txt
  [ "$(ls)" = $'old.csv\nold.json' ] || fail "left: $(ls)"
  no_leftovers
}
none_is_named extract -q -o old.csv -o late.csv -o new.json
none_is_named extract -q -o late.json -o old.csv -o old.json
none_is_named extract -q -o new.csv -o old.json -o late.csv
none_is_named reassemble -q -o new -o old.json -o new.streams -o late.json

# All of them, where nothing goes wrong.
"$WARPMETER" extract -q -o old.csv -o new.csv -o old.json "$capture"
cmp old.csv new.csv
[ "$(stat -c %a old.csv)" = 640 ] && grep -q src_addr old.json || fail "not replaced"
[ "$(ls)" = $'new.csv\nold.csv\nold.json' ] || fail "left: $(ls)"
