#!/usr/bin/env bash
# The table of packets: the same rows as CSV and JSON, packed or not, for any threads, from captures, pipes and segment files; its
# rows add up to the Flow Records. -w takes some of them, and of a capture the same packets, with comments on why.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 30000 --mean-packets 60 --flows 200 --vlan 0.1 -o t.pcap
"$SOURCE/tools/compare_packets" --binary "$WARPMETER" --jobs 1 t.pcap "$DATA/first-look.pcap" || fail "rows do not add up"

"$WARPMETER" packets -q t.pcap -o t.csv
[ "$(rows t.csv)" = 30000 ] || fail "rows"
for threads in 1 2 5; do
  "$WARPMETER" packets -q t.pcap --threads $threads -o again.csv
  cmp again.csv t.csv
done
cat t.pcap | "$WARPMETER" packets -q - --format csv -o - | cmp - t.csv
"$WARPMETER" packets -q t.pcap --format csv -o named.anyhow
cmp named.anyhow t.csv
"$WARPMETER" packets -q t.pcap -o t.json
for name in t.jsonl t.ndjson; do "$WARPMETER" packets -q t.pcap -o $name; cmp t.json $name; done
if "$WARPMETER" info | grep -q 'packing .*zstd' && command -v zstd >/dev/null; then
  "$WARPMETER" packets -q t.pcap -o t.csv.zst
  zstd -qdc t.csv.zst | cmp - t.csv
fi
"$WARPMETER" decode -q -o set t.pcap
"$WARPMETER" packets -q set -o of-set.csv
cmp of-set.csv t.csv
"$WARPMETER" packets -q set -f 'retransmitted_segments > 0' -o some-of-set.csv
"$WARPMETER" packets -q t.pcap -f 'retransmitted_segments > 0' -o some.csv
cmp some-of-set.csv some.csv
expect_status 2 "$WARPMETER" packets -q set -w duplicate -o no.pcap

# Parts of the table, and of the capture.
"$WARPMETER" packets t.pcap -w retransmitted,duplicate -o odd.csv --stats stats.json 2>said.txt
"$WARPMETER" packets -q t.pcap -w retransmitted,duplicate -o odd.pcapng
"$WARPMETER" packets -q t.pcap -w retransmitted,duplicate -o odd.pcap
"$WARPMETER" packets -q t.pcap --key-vlan -w stray,out_of_order,keep_alive -o vlan.csv
head -1 vlan.csv | grep -q ',vlan_id$' || fail "no VLAN id"
grep -qE '^  verdicts +[0-9]+ retransmitted, [0-9]+ duplicate$' said.txt || fail "said $(cat said.txt)"
grep -aq 'verdict: duplicate of packet' odd.pcapng || fail "no comments"
"$WARPMETER" packets -q odd.pcapng -o plain.pcap
cmp plain.pcap odd.pcap
python3 - <<'PY'
import csv, json, struct
table = list(csv.DictReader(open('t.csv')))
lines = [json.loads(line) for line in open('t.json')]
assert [{name: '' if value is None else str(value) for name, value in line.items()} for line in lines] == table
odd = [row for row in table if row['verdict'] in ('retransmitted', 'duplicate')]
assert odd == list(csv.DictReader(open('odd.csv'))) and odd
stats = json.load(open('stats.json'))
assert stats['packets_written'] == len(odd) == sum(stats['verdicts'].values()), stats
for row in odd:
    if row['verdict'] == 'duplicate':
        first = table[int(row['duplicate_of']) - 1]
        assert int(row['duplicate_of']) < int(row['number']) and first['sequence'] == row['sequence'] and first['bytes'] == row['bytes']
def records(name):
    data, at, found = open(name, 'rb').read(), 24, []
    while at < len(data):
        size = struct.unpack_from('<I', data, at + 8)[0]
        found.append(data[at:at + 16 + size]); at += 16 + size
    return found
whole = records('t.pcap')
assert records('odd.pcap') == [whole[int(row['number']) - 1] for row in odd]
some, flows = list(csv.DictReader(open('some.csv'))), {}
for row in table: flows.setdefault((row['src_addr'], row['dst_addr'], row['src_port'], row['dst_port'], row['protocol'], row['flow']), []).append(row)
wanted = {row['number'] for rows in flows.values() if any(row['verdict'] == 'retransmitted' for row in rows) for row in rows}
assert some == [row for row in table if row['number'] in wanted] and 0 < len(some) < len(table)
PY

# By the times of Flow Records in a file.
"$WARPMETER" extract -q t.pcap -o flows.csv
"$WARPMETER" packets -q t.pcap --flows flows.csv -f 'retransmitted_segments > 0' -o timed.csv
cmp timed.csv some.csv

# A full disk, other words, names that say nothing.
expect_status 1 "$WARPMETER" packets -q t.pcap --format csv -o /dev/full
expect_status 2 "$WARPMETER" packets -q t.pcap -w lost -o no.csv
expect_one_line "'lost' is no verdict; there are new, retransmitted"
expect_status 2 "$WARPMETER" packets -q t.pcap -o no.parquet.zst
expect_status 2 "$WARPMETER" packets -q t.pcap --biflow -o no.csv
expect_status 1 "$WARPMETER" packets -q t.pcap --format csv -o t.pcap
[ -z "$(ls no.* 2>/dev/null)" ] || fail "there is an output"
# Where flows had to be evicted, verdicts are incomplete: a line says so.
"$TRAFFIC_GEN" --packets 20000 --flows 10000 -o many.pcap
"$WARPMETER" packets -q --memory 1M --stats stats.json many.pcap -o few.csv 2> said.txt
grep -qE '^warpmeter: [0-9]+ flows left for want of memory: ' said.txt || fail "$(cat said.txt)"
grep -q '"evicted_flows": [1-9]' stats.json
"$WARPMETER" packets -q many.pcap -o all.csv 2> said.txt
[ ! -s said.txt ] || fail "$(cat said.txt)"
no_leftovers
