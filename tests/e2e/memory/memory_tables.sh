#!/usr/bin/env bash
# `memory`: the same tables from captures, pipes, cut captures, segment files, with any number of threads and whatever the
# memory; all formats agree; bad words, bad inputs, full disks, closed pipes, empty traces and traces of one packet.
. "$(dirname "$0")/../common.sh"
memory() { "$WARPMETER" memory -q "$@"; }
"$TRAFFIC_GEN" --packets $((60000 / SCALE)) --flows 100 --mean-packets 30 --rate 2000 --loss 0.02 --retransmit 0.03 -o whole.pcap
"$TRAFFIC_GEN" --packets $((60000 / SCALE)) --flows 100 --mean-packets 30 --rate 2000 --loss 0.02 --retransmit 0.03 --snaplen 96 \
  -o cut.pcap
memory --format json whole.pcap > wanted.json

# From anywhere.
for threads in 1 2 5; do memory --format json --threads $threads whole.pcap | cmp - wanted.json; done
memory --format json - < whole.pcap | cmp - wanted.json
memory --format json cut.pcap | cmp - wanted.json
"$WARPMETER" decode -q -o set --partitions 4 whole.pcap
memory --format json set | cmp - wanted.json
"$WARPMETER" decode -q -o tagged --key-vlan whole.pcap
memory --format json tagged | cmp - wanted.json
python3 "$SOURCE/tests/e2e/cut_capture.py" whole.pcap 3 '{}.pcap'
memory --format json 2.pcap 0.pcap 1.pcap | cmp - wanted.json
memory --format json --memory 200M whole.pcap | cmp - wanted.json

# Formats: by name, by word; and they say the same.
memory -o a.json whole.pcap; cmp a.json wanted.json
memory -o a.csv whole.pcap
memory --format csv whole.pcap | cmp - a.csv
memory -o a.txt whole.pcap
memory whole.pcap | cmp - a.txt
memory -o a.TXT whole.pcap; cmp a.TXT a.txt
memory --format json -o named.csv whole.pcap; cmp named.csv wanted.json
"$WARPMETER" memory --help | tr -s '\n ' ' ' | grep -q -- '--format WORD .*: format, whatever the name of the output' || fail "help"
memory -o /dev/stdout whole.pcap > told.txt; cmp told.txt a.txt
memory -o a.html --title '<script>' whole.pcap
grep -q '<title>&lt;script&gt;</title>' a.html || fail "no title"
[ "$(grep -o 'data-chart=' a.html | wc -l)" = 3 ] || fail "charts"
! grep -qE '(src|href)="?(http|//)' a.html || fail "the page loads something"
python3 - <<'PY'
import csv, json
tables = json.load(open('a.json'))
rows = list(csv.DictReader(open('a.csv')))
assert len(rows) == 81
for i, row in enumerate(rows):
    t, b = divmod(i, 9)
    assert int(row['timeout_s']) == tables['timeouts_s'][t] and int(row['block_bytes']) == tables['block_bytes'][b]
    assert float(row['streams_mean']) == tables['streams']['mean'][t]
    assert int(row['streams_peak']) == tables['streams']['peak'][t]
    assert float(row['buffered_bytes_mean']) == tables['buffered_bytes']['mean'][t][b]
    assert int(row['buffered_bytes_peak']) == tables['buffered_bytes']['peak'][t][b]
    assert float(row['buffered_mb_per_mbps_peak']) == tables['buffered_mb_per_mbps']['peak'][t][b]
for t in range(8):   # longer timeouts and larger blocks hold more
    assert tables['streams']['mean'][t] <= tables['streams']['mean'][t + 1]
assert 0 < tables['buffered_bytes']['mean'][8][0] < tables['buffered_bytes']['mean'][8][8]
text = open('a.txt').read()
assert f'{tables["streams_per_mbps"]["mean"][0]:.2f}' in text and f'{tables["buffered_mb_per_mbps"]["peak"][8][8]:.4f}' in text
PY
grep -q '^With a timeout of 64 s and blocks of 16K such' a.txt || fail "no needs"
memory --timeout 16s --block-size 4K whole.pcap | grep -q '^With a timeout of 16 s and blocks of 4K such' || fail "no choice"
grep -q 'says little about timeouts' a.txt || fail "no word of the trace's length"
"$WARPMETER" memory -o b.json --stats stats.json whole.pcap 2> said.txt; cmp b.json wanted.json
grep -q '^  IP packets' said.txt || fail "no summary"
python3 -c 'import json; s = json.load(open("stats.json")); assert s["IP packets"] > 10000 and s["exit status"] == 0'

# Little memory: that is said, and the tables are there.
memory --memory 1M whole.pcap > little.txt
"$TRAFFIC_GEN" --packets 30000 --flows 10000 --mean-packets 2 -o many.pcap
memory --memory 1M many.pcap | grep -qE 'for want of memory' || fail "nothing said of little memory"

# Bad words: 2 and one line. Nothing is written.
refused() { local line=$1; shift; expect_status 2 "$WARPMETER" memory "$@"; expect_one_line "$line"; }
refused '^warpmeter: --timeout 3s: not one of 1, 2, 4, 8, 16, 32, 64, 128, 256 s$' --timeout 3s whole.pcap
refused '^warpmeter: --timeout 0: ' --timeout 0 whole.pcap
refused '^warpmeter: --block-size 16KB: not one of 1K' --block-size 16KB whole.pcap
refused '^warpmeter: --memory: at least 1M$' --memory 1000K whole.pcap
refused '^warpmeter: -o x.parquet: which format\?' -o x.parquet whole.pcap
refused "^warpmeter: --output '': there is no value$" -o '' whole.pcap
refused "^warpmeter: 'tcp port 80': inputs come first" 'tcp port 80' whole.pcap
refused '^warpmeter: --title is of a page' --title x whole.pcap
refused "^warpmeter: filter 'udp': segments cannot be filtered" set udp
refused '^warpmeter: --decapsulate: these segments were decoded without it$' --decapsulate set
refused '^warpmeter: .* holds segments, .* does not' set whole.pcap

# Bad inputs.
expect_status 1 "$WARPMETER" memory -o x.csv missing.pcap; expect_one_line '^warpmeter: missing.pcap: '
expect_status 1 "$WARPMETER" memory -o x.csv wanted.json; expect_one_line '^warpmeter: wanted.json: '
expect_status 1 "$WARPMETER" memory -o whole.pcap --format csv whole.pcap; expect_one_line '^warpmeter: whole.pcap: '
[ ! -e x.csv ] && [ ! -e x.parquet ] || fail "something was written"
mkdir there.csv
expect_status 2 "$WARPMETER" memory -o there.csv whole.pcap; expect_one_line '^warpmeter: -o there.csv: is a folder'
[ -z "$(ls -A there.csv)" ] || fail "something in the folder"
head -c 100000 whole.pcap > damaged.pcap
expect_status 3 "$WARPMETER" memory -q -o damaged.html damaged.pcap
expect_one_line '^warpmeter: damaged.pcap: damaged at byte [0-9]+: .*; what came before is in the tables$'
grep -q 'The input was damaged' damaged.html || fail "the page does not tell"
expect_status 1 "$WARPMETER" memory -q whole.pcap -o /dev/full --format csv
expect_one_line '^warpmeter: /dev/full: cannot be written: No space left on device$'
expect_status 1 "$WARPMETER" memory -q --stats /dev/full whole.pcap -o y.csv
expect_one_line '^warpmeter: /dev/full: cannot be written: No space left on device$'
cmp y.csv a.csv

# Nobody reads: as other filters, by SIGPIPE without a word.
{ status=0; memory --format csv whole.pcap 2> said.txt || status=$?; echo $status > status.txt; } | true
[ "$(cat status.txt)" = 141 ] && [ ! -s said.txt ] || fail "status $(cat status.txt), said $(cat said.txt)"

# No packet, one packet, none of IP.
head -c 24 whole.pcap > empty.pcap
memory empty.pcap > empty.txt; grep -q '^There is not a single IP packet' empty.txt || fail "of none: $(cat empty.txt)"
[ "$(memory --format csv empty.pcap | wc -l)" = 1 ] || fail "rows of nothing"
memory -o empty.html empty.pcap
memory --format json empty.pcap | python3 -c 'import json, sys; assert json.load(sys.stdin)["ip_packets"] == 0'
python3 - <<'PY'
import struct
capture = open('whole.pcap', 'rb').read(1 << 16)
open('one.pcap', 'wb').write(capture[:24 + 16 + struct.unpack_from('<I', capture, 32)[0]])
PY
memory one.pcap > one.txt; grep -q '^All packets have one time' one.txt || fail "of one: $(cat one.txt)"
memory whole.pcap udp port 9 | grep -q '^There is not a single IP packet' || fail "a filter"

# What of a folder is not read is told.
mkdir -p folder/below; cp one.pcap folder/a.pcap; echo text > folder/text
"$WARPMETER" memory -o left.csv folder 2> left.txt
grep -q '^  passed over *1 file without captures$' left.txt && grep -q '^  folders below *1 not read (--recursive)$' left.txt ||
  fail "not told: $(cat left.txt)"
no_leftovers
