#!/usr/bin/env bash
# --format zeek, and -o NAME.log: a conn.log whose header names and types the columns, as zeek-cut and zat read it, with what
# --names zeek has in JSON; states of connections follow from planted handshakes and ends.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets $((20000 / SCALE)) --mean-packets 12 --flows 200 --ipv6 0.3 --udp 0.2 -o t.pcap
options=(--biflow --idle-timeout 50ms)
"$WARPMETER" extract -q "${options[@]}" -o conn.log -o whole.csv t.pcap
"$WARPMETER" extract -q "${options[@]}" --names zeek -o conn.json t.pcap
"$WARPMETER" show -q --format zeek -o shown.log whole.csv
cmp shown.log conn.log
"$WARPMETER" show -q whole.csv --format zeek | cmp - conn.log
"$WARPMETER" merge -q -o merged.log whole.csv
cmp merged.log conn.log
"$WARPMETER" extract -q "${options[@]}" --threads 3 --batch 7 -o again.log t.pcap
cmp again.log conn.log

# As zeek-cut does: the separator, and then the numbers of columns, come from the header.
cut_log() {
  awk -v wanted="$*" '
    /^#separator / { if ($2 == "\\x09") FS = OFS = "\t"; next }
    /^#fields/ { n = split(wanted, names, " "); for (i = 2; i <= NF; ++i) at[$i] = i - 1; next }
    /^#/ { next }
    { line = ""; for (i = 1; i <= n; ++i) line = line (i > 1 ? OFS : "") $(at[names[i]]); print line }'
}
cut_log ts id.orig_h id.resp_p proto conn_state history missed_bytes < conn.log > cut.txt
python3 - <<'PY'
import json
with open('conn.json') as file: objects = [json.loads(line, parse_float=str) for line in file]
names = 'ts', 'id.orig_h', 'id.resp_p', 'proto', 'conn_state', 'history', 'missed_bytes'
with open('cut.txt') as file: rows = [line.rstrip('\n').split('\t') for line in file]
assert len(rows) == len(objects) > 50
for row, one in zip(rows, objects): assert row == ['-' if one[name] is None else str(one[name]) for name in names], (row, one)
with open('conn.log') as file: header = [line.rstrip('\n').split('\t') for line in file if line.startswith('#')]
assert header[0] == ['#separator \\x09'] and ['#unset_field', '-'] in header and ['#path', 'conn'] in header, header
fields, types = header[-2:]
assert fields[0] == '#fields' and types[0] == '#types' and fields[1:] == list(objects[0]), fields
of = dict(zip(fields[1:], types[1:], strict=True))
assert of == dict(of, **{'ts': 'time', 'uid': 'string', 'id.orig_h': 'addr', 'id.orig_p': 'port', 'proto': 'enum', 'duration': 'interval',
                         'orig_bytes': 'count', 'conn_state': 'string', 'local_orig': 'bool', 'tunnel_parents': 'set[string]'}), of
assert len({one['uid'] for one in objects}) == len(objects)
PY
for program in zeek-cut bro-cut; do  # bro-cut is in Debian's bro-aux
  ! command -v $program >/dev/null ||
    $program ts id.orig_h id.resp_p proto conn_state history missed_bytes < conn.log | cmp - cut.txt
done
for python in python3 "$SOURCE/build/python/bin/python3" ${ZAT_PYTHON:-}; do
  "$python" -c 'import zat' 2>/dev/null || continue
  "$python" - <<'PY'
import json
from zat.zeek_log_reader import ZeekLogReader
rows = list(ZeekLogReader('conn.log').readrows())
with open('conn.json') as file: objects = [json.loads(line) for line in file]
assert len(rows) == len(objects)
for row, one in zip(rows, objects):
    assert (row['id.orig_h'], row['id.orig_p'], row['conn_state']) == (one['id.orig_h'], one['id.orig_p'], one['conn_state']), (row, one)
    assert row['orig_pkts'] == one['orig_pkts'] and abs(row['ts'].timestamp() - one['ts']) < 1e-5, (row, one)
PY
done

# Chosen columns, other columns than Zeek's, labels, microseconds; rotated files have a header each.
"$WARPMETER" extract -q --times us --columns ts,src_addr,duration,retransmitted_segments,handshake_ns --biflow --format zeek -o - t.pcap > few.log
[ "$(sed -n '6s/\t/,/gp' few.log)" = '#fields,ts,id.orig_h,duration,warpmeter_retransmitted_segments,warpmeter_handshake_us' ] || fail "$(head -7 few.log)"
[ "$(sed -n '7s/\t/,/gp' few.log)" = '#types,time,addr,interval,count,count' ] || fail "$(head -7 few.log)"
grep -qE $'^[0-9]+\.[0-9]{6}\t[0-9a-f.:]+\t[0-9]+\.[0-9]{6}\t[0-9]+\t' few.log || fail "$(tail -3 few.log)"
"$WARPMETER" extract -q "${options[@]}" --community-id --policy stock -o more.log t.pcap
grep -qE $'^#fields\t.*\ttunnel_parents\tcommunity_id\twarpmeter_.*\twarpmeter_host' more.log || fail "$(grep '#fields' more.log)"
"$WARPMETER" extract -q "${options[@]}" --rotate 4K -o rotated.log t.pcap
[ "$(ls rotated.*.log | wc -l)" -gt 2 ] || fail "$(ls rotated*)"
for file in rotated.*.log; do [ "$(grep -c '^#' $file)" = 7 ] || fail "$file"; done
grep -hv '^#' rotated.*.log | cmp - <(grep -v '^#' conn.log)
"$WARPMETER" extract -q "${options[@]}" -o packed.log.gz t.pcap
gzip -dc packed.log.gz | cmp - conn.log

# Of single directions nobody knows a state.
"$WARPMETER" extract -q -o single.csv t.pcap
"$WARPMETER" show -q --format zeek single.csv | cut_log conn_state history resp_pkts | sort -u > states.txt
[ "$(cat states.txt)" = "$(printf -- '-\t-\t-')" ] || fail "$(cat states.txt)"

# A VLAN id that tells flows apart stands behind them.
"$WARPMETER" extract -q --biflow --key-vlan -o tagged.csv "$DATA/first-look.pcap"
"$WARPMETER" extract -q --biflow --key-vlan -o tagged.log "$DATA/first-look.pcap"
"$WARPMETER" show -q --columns vlan_id -o ids.csv tagged.csv
[ "$(cut_log vlan <tagged.log)" = "$(tail -n +2 ids.csv)" ] || fail "VLAN ids"
[ "$(cut_log vlan <tagged.log | sort -u | wc -l)" -gt 2 ] || fail "too few VLAN ids"

usage() {
  local wanted=$1
  shift
  expect_status 2 "$WARPMETER" "$@"
  expect_one_line "$wanted"
}
usage 'format zeek goes with --biflow' extract -o a.log t.pcap
usage "format zeek has Zeek's names, and no others" extract --biflow --names ecs -o a.log t.pcap
usage 'its times are seconds' extract --biflow --times iso -o a.log t.pcap
usage 'sum' show --format zeek --sum dst_port whole.csv
usage "'id.orig_hh' is no column" extract --biflow --columns ts,id.orig_hh -o a.log t.pcap
no_leftovers
