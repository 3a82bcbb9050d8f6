#!/usr/bin/env bash
# The table and the summary of extract, the table of show, and the page say the same words for the ends of flows and the
# same units for the same numbers.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 30000 --mean-packets 20 --flows 300 -o t.pcap
"$WARPMETER" extract -o a.csv --idle-timeout 50ms --active-timeout 100ms t.pcap 2> summary.txt
"$WARPMETER" extract -q --format table --idle-timeout 50ms --active-timeout 100ms t.pcap > extract.txt 2> /dev/null
"$WARPMETER" show -q --format table a.csv > show.txt
"$WARPMETER" report a.csv -o page.html
ends='idle timeout|active timeout|end of flow|end of input|lack of resources'
for table in extract.txt show.txt; do
  [ "$(tail -n +2 $table | grep -cvE "  ($ends)$")" = 0 ] || fail "$table: $(tail -n +2 $table | grep -vE "  ($ends)$" | head -3)"
done
cmp <(grep -oE "  ($ends)$" extract.txt) <(grep -oE "  ($ends)$" show.txt)
for words in 'idle timeout' 'active timeout' 'end of flow'; do
  grep -q "^  flows .*$words [0-9]" summary.txt || fail "$words is not in the summary: $(grep '  flows ' summary.txt)"
  grep -q "  $words$" show.txt || fail "$words is not in the table"
  grep -q "<th scope=\"row\">$words" page.html || fail "$words is not in the page"
done
# What is divided by 1024 says so; nothing else is in use for bytes.
! grep -E '[0-9] [kMG]B ' show.txt || fail "units of powers of 1000"
grep -qE ' [0-9.]+ KiB ' show.txt || fail "no KiB"
grep -oE '[0-9.]+ MiB' page.html > /dev/null || fail "no MiB in the page"
# Durations, to the letter.
tail -n +2 extract.txt | grep -oE '[0-9.]+ (ns|us|ms|s) ' > of_extract.txt
tail -n +2 show.txt | grep -oE '[0-9.]+ (ns|us|ms|s) ' > of_show.txt
[ "$(wc -l < of_show.txt)" -gt 100 ] || fail "no durations"
cmp of_extract.txt of_show.txt
"$WARPMETER" show a.csv --csv 2>&1 > /dev/null | grep -qE ' packets, [0-9.]+ MiB, ' || fail "no MiB on standard error"
"$WARPMETER" show -q a.csv --csv -f 'end_reason = idle-timeout' | cmp - <("$WARPMETER" show -q a.csv --csv -f 'end_reason = idle')
