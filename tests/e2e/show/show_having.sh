#!/usr/bin/env bash
# --having keeps the sums that meet it: after summing, before sorting and cutting, by the columns of the sums.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 20000 --mean-packets 20 --flows 200 --retransmit 0.05 -o t.pcap
"$WARPMETER" extract -q -o a.csv t.pcap
"$WARPMETER" show -q a.csv --sum src_addr -o all.csv
having='data_segments >= 20 and retransmission_share > 4% and not src_addr in 10.0.0.0/9'
"$WARPMETER" show -q a.csv --sum src_addr --having "$having" -o some.csv
"$WARPMETER" show a.csv --sum src_addr --having "$having" --sort packets --top 3 -o top.csv 2> stderr.txt
python3 - <<'PY'
import csv, ipaddress
rows = [list(csv.DictReader(open(name))) for name in ('all.csv', 'some.csv', 'top.csv')]
def meets(row):
    segments = int(row['data_segments'] or 0)
    return segments >= 20 and int(row['retransmitted_segments']) / segments > 0.04 and \
        ipaddress.ip_address(row['src_addr']) not in ipaddress.ip_network('10.0.0.0/9')
wanted = [row for row in rows[0] if meets(row)]
assert 3 < len(wanted) < len(rows[0]), (len(wanted), len(rows[0]))
assert rows[1] == wanted
first = sorted(wanted, key=lambda row: -int(row['packets']))[:3]
assert [row['packets'] for row in rows[2]] == [row['packets'] for row in first]
PY
grep -q "; 3 of $(rows all.csv) sums shown" stderr.txt || fail "$(cat stderr.txt)"

# Of what --aggregate makes, by the columns of Flow Records.
"$WARPMETER" show -q a.csv --aggregate --having 'packets > 50' -o many.csv
"$WARPMETER" show -q a.csv --aggregate -o aggregated.csv
"$WARPMETER" show -q aggregated.csv -f 'packets > 50' | cmp - many.csv
[ "$(rows many.csv)" -gt 0 ] || fail "nothing has so many packets"

usage() {
  local wanted=$1
  shift
  expect_status 2 "$WARPMETER" show a.csv "$@"
  expect_one_line "$wanted"
}
usage '[-]-having goes with --sum or --aggregate' --having 'flows > 1'
usage "having 'pakets > 1': at character 1: 'pakets' is no column of these sums; there are src_addr, flows, packets, bytes" \
  --sum src_addr --having 'pakets > 1'
usage "having 'dst_port = 80': .* is no column of these sums" --sum src_addr --having 'dst_port = 80'
usage "having 'flows >': at character 8: a value for flows is missing" --sum src_addr --having 'flows >'
usage "having 'flows > 1': at character 1: 'flows' is no column" --aggregate --having 'flows > 1'
"$WARPMETER" show --help > help.txt
grep -q -- '--having' help.txt || fail "not in the help"
no_leftovers
