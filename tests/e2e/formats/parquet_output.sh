#!/usr/bin/env bash
# Parquet output: the same bytes for any number of threads and into a pipe; a module that is gone is one clear line.
. "$(dirname "$0")/../common.sh"
need_parquet
"$TRAFFIC_GEN" --packets 20000 --mean-packets 8 -o many.pcap
"$WARPMETER" extract -q --threads 1 -o a.parquet many.pcap
"$WARPMETER" extract -q --threads 2 --batch 100 -o b.parquet many.pcap
"$WARPMETER" extract -q --format parquet -o - many.pcap | cat > c.parquet
cmp a.parquet b.parquet; cmp a.parquet c.parquet
[ "$(head -c 4 a.parquet)$(tail -c 4 a.parquet)" = PAR1PAR1 ] || fail "no Parquet file"

expect_status 1 "$WARPMETER" extract -q --format parquet -o /dev/full many.pcap
expect_one_line '/dev/full: cannot be written: No space left on device'

cp "$WARPMETER" alone
expect_status 1 ./alone extract -q -o d.parquet many.pcap
expect_one_line 'Parquet: there is no libwarpmeter_parquet.so beside the program .* warpmeter-parquet has it'
./alone info | grep -q 'Parquet *there is no libwarpmeter_parquet.so' || fail "info does not say so"
./alone extract -q -o d.csv many.pcap
[ ! -e d.parquet ] && no_leftovers
