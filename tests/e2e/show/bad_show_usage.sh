#!/usr/bin/env bash
# Usage errors of show: exit status 2, one line that helps, no output.
. "$(dirname "$0")/../common.sh"
"$WARPMETER" extract -q -o a.csv "$DATA/first-look.pcap"
usage() {
  local wanted=$1
  shift
  expect_status 2 "$WARPMETER" show "$@"
  expect_one_line "$wanted"
}
usage FILE
usage "filter 'src_prot = 1': at character 1: 'src_prot' is no column [(]near: src_port" a.csv -f 'src_prot = 1'
usage "filter '[(]tcp': at character 5: '[)]' is missing" a.csv -f '(tcp'
usage "sort: 'pakets' is no column [(]near: packets" a.csv --sort pakets
usage "--sort: 'bytes:down': the direction is asc or desc" a.csv --sort bytes:down
for sum in '' '--sum port'; do
  usage "^warpmeter: --top N by COLUMN: 'pakets' is no column" a.csv --top 3 by pakets $sum
  usage "^warpmeter: --top N by COLUMN: 'bytes:down': the direction is asc or desc" a.csv --top 3 by bytes:down $sum
done
usage "--sort: it takes one value, and 2 were given: bytes, packets [(]see" a.csv --sort bytes --sort packets
usage "columns: 'pakets' is no column [(]near: packets" a.csv --columns bytes,pakets
usage "columns: 'bytes' is there twice" a.csv --columns bytes,packets,bytes
usage "columns: 'start' is there twice" a.csv --columns start_ns,start
usage "columns: 'connection_ns' is no column" a.csv --sum port --columns connection_ns
usage "sort: 'src_addr' is no column" a.csv --sum port --sort src_addr
usage "sum: 'bytes' is no key" a.csv --sum bytes
usage "top: at least 1" a.csv --top 0
usage '--top some: not a whole number' a.csv --top some
usage "top N by COLUMN and --sort: one of them" a.csv --top 3 by bytes --sort packets
usage "top N by: by which column[?]" a.csv --top 3 by
usage "top N by: by which column[?]" a.csv --top '3 by'
usage "'70000' is not a port, from 0 to 65535" a.csv -f 'port 70000'
usage "'-1' is not a whole number" a.csv --sum port --having 'flows > -1'
usage "'2020' is not a time of our days, .*: write a date such as 2020-01-01" a.csv -f 'start >= 2020'
usage "^warpmeter: filter 'tcp and x* [.][.][.] x*': at character 9: 'x* [.][.][.] x*' is no column.{1,99}$" a.csv \
  -f "tcp and $(printf 'x%.0s' {1..5000})"
usage "^warpmeter: --top 1* [.][.][.] 1*: too large$" a.csv --top "$(printf '1%.0s' {1..5000})"
usage "which format" a.csv -o flows.xyz
"$WARPMETER" info > info.txt
if grep -q "IPFIX *built in" info.txt; then
  usage "sum and --columns are for tables, CSV, JSON and Parquet" a.csv --sum port --format ipfix
fi
usage "[-]-json" a.csv --json --csv
[ -z "$(find . -name 'flows*')" ] || fail "there is an output"
no_leftovers
