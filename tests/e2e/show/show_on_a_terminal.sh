#!/usr/bin/env bash
# On a terminal there is a table with units, and progress; --columns chooses; a pipe gets CSV; a closed pipe ends it
# without a word.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 30000 --mean-packets 20 --flows 300 -o t.pcap
"$WARPMETER" extract -q -o a.csv t.pcap
script -qec "'$WARPMETER' show -q a.csv --top 3" /dev/null | tr -d '\r' > table.txt
grep -qE '^SOURCE +DESTINATION +PROTO +START \(UTC\) +DURATION +PACKETS +BYTES +RETRANS +SHARE' table.txt || fail "no table"
grep -qE ' tcp +2023-11-14 22:13:20\.[0-9]{3} +[0-9.]+ ms +[0-9]+ +[0-9.]+ ([KM]iB|B) ' table.txt || fail "$(cat table.txt)"
[ "$(wc -l < table.txt)" = 4 ] || fail "not three flows"
[ "$("$WARPMETER" show -q a.csv --top 3 | wc -l)" = 4 ] || fail "not three flows in a pipe"
"$WARPMETER" show -q a.csv --top 3 --columns dst_addr,bytes,retransmission_share > chosen.csv
python3 - <<'PY'
import csv
rows = sorted(csv.DictReader(open('a.csv')), key=lambda row: -int(row['bytes']))[:3]
got = list(csv.DictReader(open('chosen.csv')))
assert [list(row) for row in got] == [['dst_addr', 'bytes', 'retransmission_share']] * 3
for row, line in zip(rows, got):
    assert (row['dst_addr'], row['bytes']) == (line['dst_addr'], line['bytes'])
    share = int(row['retransmitted_segments']) / int(row['data_segments']) if int(row['data_segments'] or 0) else None
    assert line['retransmission_share'] == ('' if share is None else f'{share:.9f}'), (row, line)
PY
"$WARPMETER" show -q a.csv --sum protocol --format table | grep -qE '^tcp +[0-9]+ +[0-9.]+ k +[0-9.]+ MiB' || fail "no table of sums"
for i in 1 2 3 4 5 6 7 8; do tail -n +2 a.csv; done > more
{ cat a.csv more; } > many.csv
# What takes longer than a second tells how far it is, show and report, and only a terminal.
mkfifo slow
for command in "show slow --sum protocol -o sums.csv" "report slow -o page.html"; do
  { cat a.csv; sleep 1.3; cat more; } > slow &
  TERM=xterm script -qec "'$WARPMETER' $command" /dev/null > screen.txt
  wait
  grep -qE '[0-9.]+ k flows, [0-9.]+ (k )?flows/s' screen.txt || fail "$command: no progress"
done
{ cat a.csv; sleep 1.3; cat more; } > slow &
"$WARPMETER" show slow --sum protocol -o sums.csv 2> said.txt
! grep -q 'flows/s' said.txt || fail "progress in a file"
set +o pipefail
"$WARPMETER" show many.csv 2> said.txt | head -1 > first.txt
cmp first.txt <(head -1 a.csv)
[ ! -s said.txt ] || fail "said $(cat said.txt)"
