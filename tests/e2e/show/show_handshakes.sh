#!/usr/bin/env bash
# What biflows tell of connections, handshakes and answers, and flows by their Community ID: as Python finds them in the
# rows. Where there are no biflows that is said.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 30000 --mean-packets 20 --flows 300 -o t.pcap
"$WARPMETER" extract -q --biflow --community-id -o both.csv -o both.json -o both.ipfix t.pcap
"$WARPMETER" extract -q -o one.csv t.pcap

for file in both.csv both.json both.ipfix; do
  "$WARPMETER" show -q $file -f unanswered -o unanswered.csv
  "$WARPMETER" show -q $file -f 'not unanswered' -o answered.csv
  "$WARPMETER" show -q $file --columns handshake,community_id,src_addr,start_ns -o shown.csv
  "$WARPMETER" show -q $file --times us --columns handshake_ns,protocol -o us.csv
  "$WARPMETER" show -q $file -f 'handshake < 100ms' -o fast.csv
  "$WARPMETER" show -q $file --sort handshake --columns handshake -o sorted.csv
  python3 - <<'PY'
import csv
def read(name): return list(csv.DictReader(open(name)))
rows, shown = read('both.csv'), read('shown.csv')
def handshake(row):
    if row['reverse_start_ns'] and row['syn_count'] == row['reverse_syn_count'] == '1':
        ns = int(row['reverse_start_ns']) - int(row['start_ns'])
        return ns if ns >= 0 else None
wanted = [handshake(row) for row in rows]
some = [ns for ns in wanted if ns is not None]
assert len(some) > 50 and len(set(some)) > 50, len(some)
assert [row['handshake_ns'] for row in shown] == ['' if ns is None else str(ns) for ns in wanted]
assert [row['community_id'] for row in shown] == [row['community_id'] for row in rows]
us = [(int(row['reverse_start_ns']) // 1000 - int(row['start_ns']) // 1000) if ns is not None else '' for row, ns in zip(rows, wanted)]
assert [row['handshake_us'] for row in read('us.csv')] == [str(one) for one in us]
assert len(read('fast.csv')) == sum(ns < 100_000_000 for ns in some)
assert [row['handshake_ns'] for row in read('sorted.csv')][:len(some)] == [str(ns) for ns in sorted(some, reverse=True)]
alone = [row['start_ns'] for row in rows if not row['reverse_start_ns']]
assert 0 < len(alone) < len(rows), len(alone)
assert [row['start_ns'] for row in read('unanswered.csv')] == alone
assert len(read('answered.csv')) == len(rows) - len(alone)
open('id.txt', 'w').write(rows[len(rows) // 2]['community_id'])
PY
done

# By Community ID, where the file has none of its own: both directions, as everywhere.
id=$(cat id.txt)
"$WARPMETER" show -q one.csv -f "community_id = \"$id\"" --columns community_id -o found.csv
[ "$(sort -u found.csv)" = "$(printf '%s\n' "$id" community_id | sort)" ] || fail "found $(cat found.csv)"
[ "$(rows found.csv)" -ge 2 ] || fail "found $(rows found.csv)"
"$WARPMETER" show -q one.csv -f "community_id != \"$id\"" -o others.csv
[ $(($(rows others.csv) + $(rows found.csv))) = "$(rows one.csv)" ] || fail "some are lost"

# Of flows of one direction nobody knows.
for filter in unanswered 'reverse_packets = 0' 'handshake > 1s' 'not (udp or not unanswered)'; do
  "$WARPMETER" show one.csv -f "$filter" -o none.csv 2>said.txt
  grep -q 'only biflows have.*extract --biflow' said.txt || fail "$filter: said $(cat said.txt)"
done
"$WARPMETER" show one.csv -f unanswered -o none.csv 2>said.txt
[ "$(rows none.csv)" = 0 ] || fail "there are unanswered flows of one direction"
"$WARPMETER" show both.csv -f unanswered -o some.csv 2>said.txt
! grep -q biflow said.txt || fail "said $(cat said.txt)"
for wrong in '--sort community_id' '--sort unanswered' '--sum handshake' '--sum community_id' '--columns unanswered' \
    '--columns reverse_handshake' '--columns reverse_community_id'; do
  status=0
  "$WARPMETER" show both.csv $wrong >/dev/null 2>said.txt || status=$?
  [ "$status" = 2 ] || fail "$wrong: status $status"
  [ "$(wc -l <said.txt)" = 1 ] || fail "$wrong: said $(cat said.txt)"
done
