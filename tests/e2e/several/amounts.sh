#!/usr/bin/env bash
# Sizes, times and counts: every spelling is taken by every option, means the same in filters, and what is none is refused
# in one line that names the option.
. "$(dirname "$0")/../common.sh"
capture=$DATA/first-look.pcap
"$WARPMETER" extract -q -o a.csv "$capture"
for memory in 1g 1G 1GB 1GiB 1gib 1048576k 0.5t; do
  "$WARPMETER" extract -q -o b.csv --memory $memory --run-memory 1m "$capture" || fail "--memory $memory"
  cmp a.csv b.csv
done
for idle in 300 300s 300000ms 3e2; do
  [ $idle = 3e2 ] && wanted=2 || wanted=0
  expect_status $wanted "$WARPMETER" extract -q -o b.csv --idle-timeout $idle --active-timeout 0.5h "$capture"
done
"$WARPMETER" extract -q -o short.csv --idle-timeout 20ms "$capture"
for idle in 20000us 20000000ns 0.02 0.02s; do
  "$WARPMETER" extract -q -o b.csv --idle-timeout $idle "$capture"
  cmp short.csv b.csv
done
"$WARPMETER" extract -q -o b.csv --batch 1k --duplicate-window 1K --threads 2 --idle-timeout 2d "$capture"
"$WARPMETER" report a.csv -o page.html --top 1K

refused() {
  local wanted=$1
  shift
  expect_status 2 "$WARPMETER" extract -o c.csv "$@" "$capture"
  expect_one_line "$wanted"
}
for bad in 12x 1MM nan inf '1 M' M; do refused "[-]-memory $bad: not a size: bytes, or a number with K" --memory "$bad"; done
for bad in 5M 1H 1sec nan 1,5s; do refused "[-]-idle-timeout $bad: not a time: seconds, or a number with ns" --idle-timeout $bad; done
refused "[-]-memory -1: less than 0" --memory=-1
refused "[-]-active-timeout -5s: less than 0" --active-timeout=-5s
refused "[-]-memory 99999999T: too large" --memory 99999999T
refused "[-]-idle-timeout 99999999999h: too large" --idle-timeout 99999999999h
refused "[-]-batch 0: 1 to " --batch 0
refused "[-]-threads 1k: 1 to 256" --threads 1k
refused "[-]-duplicate-window x: not a whole number" --duplicate-window x
refused "[-]-rotate 12x: neither a size such as 100M nor a time such as 5m" --rotate 12x
refused "[-]-rotate 99999999T: too large" --rotate 99999999T
for option in memory gpu-memory run-memory idle-timeout active-timeout duplicate-gap rotate; do
  refused "[-]-$option '': there is no value" --$option ''
done
for option in threads batch duplicate-window; do refused "[-]-$option '': not a whole number" --$option ''; done
[ ! -e c.csv ] || fail "there is an output"

# Bytes in filters are those of sizes, counts those of counts.
cat > big.csv <<CSV
$(head -n 1 a.csv)
$(sed -n 2p a.csv | awk -F, -v OFS=, '{ $8 = 1000; $9 = 1048576; print }')
CSV
matches() { [ "$("$WARPMETER" show -q big.csv --csv -f "$1" | tail -n +2 | wc -l)" = 1 ] || fail "not met: $1"; }
for size in 1M 1m 1MiB 1Mi 1024k 1024KiB 1048576 1048.576KB; do matches "bytes = $size"; done
matches 'bytes > 1MB'
for count in 1000 1k 1K 0.001m; do matches "packets = $count"; done
