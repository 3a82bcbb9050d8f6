#!/usr/bin/env bash
# merge takes files, folders, rotated sets and standard input as show does; what is damaged, missing or no file of Flow
# Records is named, the rest is merged, and the exit status is 3; with nothing left it is 1.
. "$(dirname "$0")/../common.sh"
"$WARPMETER" extract -q -o whole.csv "$DATA/first-look.pcap"
"$WARPMETER" extract -q -o udp.csv "$DATA/first-look.pcap" udp
"$WARPMETER" extract -q -o rest.csv "$DATA/first-look.pcap" not udp
# merged STATUS LINE...: what standard error has, after merging "${from[@]}".
merged() {
  local status=$1; shift
  rm -f out.csv
  expect_status "$status" "$WARPMETER" merge -o out.csv "${from[@]}"
  printf '%s\n' "$@" | cmp - stderr.txt || fail "${from[*]}: $(cat stderr.txt)"
}
flows=$(rows whole.csv)
from=(udp.csv rest.csv); merged 0 "  $flows flows of 2 files"; cmp out.csv whole.csv
from=(rest.csv ./rest.csv udp.csv); merged 0 "  $flows flows of 2 files, 1 named again and read once"; cmp out.csv whole.csv
"$WARPMETER" merge -q - udp.csv < rest.csv | cmp - whole.csv
mkdir -p folder/below
cp udp.csv "$DATA/first-look.pcap" folder; cp rest.csv folder/below
from=(folder --recursive); merged 0 "  $flows flows of 2 files, 1 other passed over"; cmp out.csv whole.csv
for length in 4K 1h; do
  "$WARPMETER" extract -q --rotate $length -o rotated.csv "$DATA/first-look.pcap"
  "$WARPMETER" merge -q -o out.csv rotated.csv; cmp out.csv whole.csv
  "$WARPMETER" merge -q --rotate $length -o again.csv udp.csv rest.csv
  for file in rotated.*.csv; do cmp "$file" "again.${file#rotated.}"; done
  rm rotated.*.csv again.*.csv
done

# Of no flows there is the header alone.
head -1 whole.csv > none.csv
from=(none.csv none.csv); merged 0 '  0 flows of 1 file, 1 named again and read once'; cmp out.csv none.csv
from=(whole.csv none.csv); merged 0 "  $flows flows of 2 files"; cmp out.csv whole.csv

from=(rest.csv nothing.csv udp.csv)
merged 3 'warpmeter: nothing.csv: cannot be read: No such file or directory' "  $flows flows of 2 files, 1 unreadable"
cmp out.csv whole.csv
capture=$DATA/first-look.pcap
from=(whole.csv "$capture")
merged 3 "warpmeter: $capture: no Flow Records: neither CSV, JSON lines, IPFIX nor Parquet, but a capture, which warpmeter extract reads" \
  "  $flows flows of 1 file, 1 unreadable"
cmp out.csv whole.csv
at=$(head -3 rest.csv | wc -c)
head -c $((at + 20)) rest.csv > cut.csv
head -3 rest.csv > good.csv
"$WARPMETER" merge -q -o wanted.csv good.csv udp.csv
from=(cut.csv udp.csv)
merged 3 "warpmeter: cut.csv: damaged at byte $at: line 4: cut short; what came before is in the output" \
  "  $(rows wanted.csv) flows of 2 files"
cmp out.csv wanted.csv
from=(nothing.csv none.json)
merged 1 'warpmeter: nothing.csv: cannot be read: No such file or directory; none.json: cannot be read: No such file or directory'
[ ! -e out.csv ] || fail "there is an output"
mkdir empty
from=(empty); merged 1 'warpmeter: empty: no Flow Records in this folder'
expect_status 2 "$WARPMETER" merge -o out.csv
expect_one_line '^warpmeter: FLOWS is required'
no_leftovers
