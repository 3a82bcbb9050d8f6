#!/usr/bin/env bash
# Labels and fields of extract --policy come back from every format: show filters, sorts and sums by them, merge writes
# them again, also by way of run files and together with files that have none.
. "$(dirname "$0")/../common.sh"
cat > p.toml <<'TOML'
[init]
default = "kinds"
[[group]]
id = 1
name = "kinds"
mode = "all"
  [[group.rule]]
  port = 53
  label = "dns"
  field = { dns_name = "dns.name" }
  [[group.rule]]
  port = "1-1023"
  label = "well-known"
TOML
# 90 flows of UDP, each a packet and its answer: 30 ask for names, 30 are of a well-known port, 30 of none.
python3 - <<'PY'
import struct
def udp(source, destination, ports, payload):
    body = struct.pack('>HHHH', *ports, 8 + len(payload), 0) + payload
    head = struct.pack('>BBHHHBBH4s4s', 0x45, 0, 20 + len(body), 1, 0, 64, 17, 0, source, destination)
    return head + body
def query(name):
    labels = b''.join(bytes([len(part)]) + part.encode() for part in name.split('.'))
    return struct.pack('>HHHHHH', 7, 0x100, 1, 0, 0, 0) + labels + b'\0' + struct.pack('>HH', 1, 1)
with open('t.pcap', 'wb') as f:
    f.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 101))
    for i in range(90):
        client, server = bytes([10, 0, 0, i + 1]), bytes([10, 1, 0, 1])
        port = (53, 123, 5000)[i % 3]
        payload = query(f'a-name-that-begins-alike-{i % 9}.example.org') if port == 53 else b'x' * 20
        for n, packet in enumerate((udp(client, server, (40000, port), payload), udp(server, client, (port, 40000), b'y'))):
            f.write(struct.pack('<IIII', 1700000000 + i, n * 1000, len(packet), len(packet)) + packet)
PY
formats='csv json'
if "$WARPMETER" info | grep -q 'Parquet *built in'; then formats+=' parquet'; fi
if "$WARPMETER" info | grep -q 'IPFIX *built in'; then formats+=' ipfix'; fi
for options in '' --biflow; do
  # shellcheck disable=SC2046,SC2086
  "$WARPMETER" extract -q $options --policy p.toml $(printf -- '-o a.%s ' $formats) t.pcap
  head -1 a.csv | grep -q ',labels,dns_name$' || fail "$(head -1 a.csv)"
  grep -q ',dns;well-known,a-name-that-begins-alike-3.example.org$' a.csv || fail "$(head -3 a.csv)"
  "$WARPMETER" extract -q $options -o plain.csv t.pcap
  for from in $formats; do
    "$WARPMETER" show -q a.$from -o b.csv; cmp a.csv b.csv
    "$WARPMETER" show -q a.$from --json > b.json; cmp a.json b.json
    "$WARPMETER" show -q a.$from --sort bytes -o b.csv; cmp <(sort a.csv) <(sort b.csv)
    for to in $formats; do
      "$WARPMETER" merge -q -o b.$to a.$from
      if [ $to != parquet ] || [ $from = parquet ]; then cmp a.$to b.$to; continue; fi
      "$WARPMETER" show -q b.parquet -o b.csv; cmp a.csv b.csv  # the others have no numbers of packets for it
    done
    "$WARPMETER" show -q a.$from --columns src_addr,labels,dns_name -f 'dns_name != x' --csv > chosen.csv
    grep -qx '10.0.0.1,dns;well-known,a-name-that-begins-alike-0.example.org' chosen.csv || fail "$(head -3 chosen.csv)"
  done
  # In passes, by run files.
  for i in 1 2 3 4 5; do { head -1 a.csv; tail -n +2 a.csv | awk "NR % 5 == $i - 1"; } > part-$i.csv; done
  "$WARPMETER" merge -q --most-files 2 -o b.csv part-*.csv; cmp a.csv b.csv
  # With a file that has none.
  { head -1 plain.csv; tail -n +2 plain.csv | awk 'NR % 5 == 0'; } > part-5.csv
  "$WARPMETER" merge -q -o b.csv part-*.csv
  "$WARPMETER" show -q b.csv -f 'labels = dns or labels != dns' --json --columns labels > b.json
  [ "$(grep -c '"labels":\[\]' b.json)" -gt "$(grep -c '"labels":\[\]' a.json)" ] || fail "labels out of nothing"
  [ "$(rows b.csv)" = "$(rows a.csv)" ] || fail "$(rows b.csv) of $(rows a.csv) flows"
done

# Filters: of a list any, != none; a column of the file's own; names that no file has.
"$WARPMETER" extract -q --policy p.toml -o a.csv t.pcap
shown() { "$WARPMETER" show -q a.csv "$@" --csv | tail -n +2; }
count() { [ "$(shown -f "$1" --columns src_addr | grep -c .)" = "$2" ] || fail "$1: $(shown -f "$1" | grep -c .), not $2"; }
count 'labels = dns' 60
count "labels = 'well-known' and not labels = dns" 60
count 'labels != dns' 120
count 'labels in (dns, "well-known")' 120
count 'dns_name = "a-name-that-begins-alike-3.example.org"' 20
count 'dns_name != a-name-that-begins-alike-3.example.org' 40
expect_status 2 "$WARPMETER" show a.csv -f 'dns_nam = x'
expect_one_line "filter 'dns_nam = x': at character 1: 'dns_nam' is no column"
expect_status 2 "$WARPMETER" show a.csv -f 'labels > dns'
expect_one_line "at character 8: labels is a text, compared with =, !=, in and not in"
expect_status 2 "$WARPMETER" show a.csv -f 'dns_name > x'
expect_one_line "where files have such a column, dns_name is a text, compared with =, !=, in and not in"
expect_status 2 "$WARPMETER" show a.csv --columns labels,dns_nam
expect_one_line "columns: 'dns_nam' is no column"
expect_status 2 "$WARPMETER" show a.csv --sum dns_nam
expect_one_line "sum: 'dns_nam' is no key"

# Sums: a flow counts once for each label, and one without in a sum of its own.
cmp - <(shown --sum labels --columns flows --sort labels) <<< $'dns,60\nwell-known,120\n,60'
cmp - <(shown --sum labels,dst_port --having 'labels = dns and dst_port < 100' --columns flows) <<< 'dns,53,30'
cmp - <(shown --sum dns_name --columns flows --sort dns_name:desc) << 'ROWS'
a-name-that-begins-alike-6.example.org,20
a-name-that-begins-alike-3.example.org,20
a-name-that-begins-alike-0.example.org,20
,120
ROWS
shown --sort dns_name --columns dns_name | grep . > names.txt
sort -C names.txt || fail "names are not sorted"
# A column that no file has is perhaps a slip.
expect_status 2 "$WARPMETER" show a.csv --sum dns_nam
grep -q "^warpmeter: --sum: 'dns_nam' is no key (near: dns_name)$" stderr.txt || fail "$(cat stderr.txt)"
expect_status 2 "$WARPMETER" show a.csv --filter 'dns_nam = x'
grep -q "'dns_nam' is no column (near: dns_name)$" stderr.txt || fail "$(cat stderr.txt)"
# One Flow Record of several has the labels of all.
sed '2,$s/,[^,]*,[^,]*$/,web;dns,other.example.org/' a.csv > later.csv
"$WARPMETER" show -q a.csv later.csv --aggregate --csv > whole.csv
[ "$(rows whole.csv)" = 180 ] || fail "$(rows whole.csv) flows"
grep -q ',dns;well-known;web,a-name-that-begins-alike-3.example.org$' whole.csv || fail "$(head -3 whole.csv)"
# IPFIX has elements of the output's own for other columns; elements of IANA alone are said to be too few, once.
if [[ $formats = *ipfix* ]]; then
  sed 's/dns_name = /title = /' p.toml > title.toml
  "$WARPMETER" extract -q --policy title.toml -o a.csv -o a.ipfix t.pcap
  grep -q ',a-name-that-begins-alike-3.example.org$' a.csv || fail "$(head -3 a.csv)"
  "$WARPMETER" show -q a.ipfix -o b.csv; cmp a.csv b.csv
  "$WARPMETER" extract -q --policy title.toml --ipfix-profile plain -o a.ipfix t.pcap 2> said.txt
  grep -qx 'warpmeter: left out of IPFIX: title: this profile has elements of IANA alone' said.txt || fail "$(cat said.txt)"
  "$WARPMETER" show -q a.ipfix --csv | head -1 | grep -q ',labels$' || fail "columns of IPFIX"
  "$WARPMETER" extract -q --policy p.toml -o a.ipfix t.pcap 2> said.txt
  [ ! -s said.txt ] || fail "$(cat said.txt)"
fi
no_leftovers
