#!/usr/bin/env bash
# --geo: country, city and autonomous system of both ends as columns, in filters and as keys of sums; databases that are
# none, are cut short or damaged, get one line each.
. "$(dirname "$0")/../common.sh"
if ! "$WARPMETER" info | grep -q 'geo *built in'; then
  echo "a build with libmaxminddb (libmaxminddb-dev) runs this"
  exit 77
fi
write() { python3 "$SOURCE/tests/e2e/write_mmdb.py" "$@"; }
write city.mmdb Test-City <<'TXT'
10.0.0.0/8 {"country": {"iso_code": "DE"}, "city": {"names": {"de": "München", "en": "Munich"}}}
192.168.0.0/16 {"country": {"iso_code": "FR"}, "city": {"names": {"en": "Orléans, \"Centre\""}}}
2001:db8::/32 {"country": {"iso_code": "JP"}}
TXT
write asn.mmdb Test-ASN <<'TXT'
10.0.0.0/8 {"autonomous_system_number": 64496, "autonomous_system_organization": "Example, Inc."}
192.168.0.0/16 {"country": {"iso_code": "XX"}, "asn": "AS64511", "as_name": "Other"}
2001:db8::/32 {"autonomous_system_number": 4200000000, "autonomous_system_organization": "Six"}
TXT
"$WARPMETER" extract -q -o flows.csv "$DATA/first-look.pcap"
files=(flows.csv both.csv)
if "$WARPMETER" extract -q -o flows.parquet "$DATA/first-look.pcap" 2> /dev/null; then files+=(flows.parquet); fi  # a build with it
"$WARPMETER" extract -q --biflow -o both.csv "$DATA/first-look.pcap"
GEO=(--geo city.mmdb --geo asn.mmdb)
show() { local file=$1; shift; "$WARPMETER" show -q "$file" "${GEO[@]}" "$@"; }

# Every row has what its addresses are in; the first database that knows something tells it.
show flows.csv -o geo.csv
python3 - <<'PY'
import csv, ipaddress
TOLD = {"10.0.0.0/8": ("DE", "Munich", "64496", "Example Inc."),
        "192.168.0.0/16": ("FR", r"Orl\xc3\xa9ans Centre", "64511", "Other"), "2001:db8::/32": ("JP", "", "4200000000", "Six")}
def told(address):
    address = ipaddress.ip_address(address)
    return next((t for n, t in TOLD.items() if address in ipaddress.ip_network(n)), ("", "", "", ""))
with open("flows.csv") as f: plain = list(csv.DictReader(f))
with open("geo.csv") as f: rows = list(csv.DictReader(f))
met = set()
for before, row in zip(plain, rows, strict=True):
    assert {name: row.pop(name) for name in before} == before
    for end, address in ("source", before["src_addr"]), ("destination", before["dst_addr"]):
        got = tuple(row.pop(f"{end}_{fact}") for fact in ("country", "city", "asn", "as_org"))
        assert got == told(address), (address, got)
        met.add(got)
    assert not row, row
assert len(met) == 4, met
PY

# Filters and sums are those of the addresses themselves.
same() {
  show "$1" -f "$2" --columns src_addr,dst_addr,bytes > a.txt
  "$WARPMETER" show -q "$1" -f "$3" --columns src_addr,dst_addr,bytes > b.txt
  [ "$(wc -l < a.txt)" -gt 1 ] || fail "nothing: $2"
  cmp a.txt b.txt
}
for file in "${files[@]}"; do
  same $file 'destination_asn = 64496' 'dst net 10.0.0.0/8'
  same $file 'source_country in (DE, FR) and destination_city != Munich' \
    '(src net 10.0.0.0/8 or src net 192.168.0.0/16) and dst net 192.168.0.0/16'
  same $file 'host_country = JP' 'net 2001:db8::/32'
  same $file 'host_country != JP' 'ip4 and (src net 10.0.0.0/8 or src net 192.168.0.0/16 or dst net 10.0.0.0/8 or dst net 192.168.0.0/16)'
done
sum_of() { "$WARPMETER" show -q "$1" -f "$2" --sum "$3" --columns flows,bytes,retransmitted_segments | tail -n +2 | cut -d, -f2-; }
for file in flows.csv both.csv; do
  show $file --sum source_country --columns flows,bytes,retransmitted_segments > sums.csv
  for pair in DE:10.0.0.0/8 FR:192.168.0.0/16 JP:2001:db8::/32; do
    prefix=${pair#*:} bits=${pair##*/}
    [ "$(grep "^${pair%%:*}," sums.csv | cut -d, -f2-)" = \
      "$("$WARPMETER" show -q $file --sum src_addr/$bits:$bits --columns flows,bytes,retransmitted_segments |
         grep "^${prefix%%/*}/" | cut -d, -f2-)" ] || fail "$file: $pair"
  done
  # Of both ends, a flow within a country counts once.
  show $file --sum host_country --columns flows,bytes | sort > ends.csv
  [ "$(grep ^JP, ends.csv)" = "JP,$("$WARPMETER" show -q $file --sum addr/0:32 --columns flows,bytes | grep '^2001:' | cut -d, -f2-)" ] ||
    fail "$file: both ends"
done
show both.csv --aggregate --columns src_addr,source_country > turned.csv
! grep -E '^10\..*,(FR|JP|)$|^192\..*,(DE|JP|)$' turned.csv || fail "the other direction has the place of the first"
show flows.csv --sum src_addr --sort bytes:asc > /dev/null
show flows.csv --top 1 by source_city:desc --json | grep -q '"source_city":"Orl'
show flows.csv --format table > table.txt
grep -q 'SOURCE_COUNTRY' table.txt

# The page has it beside hosts.
"$WARPMETER" report -q flows.csv "${GEO[@]}" -f 'source_country = DE' -o page.html
grep -q 'Munich, DE, AS64496 Example Inc\.' page.html

# Without the option there is no such column, and a line says so.
for words in "-f source_country=DE" "--sum host_asn" "--columns source_city" "--sort source_asn"; do
  expect_status 2 "$WARPMETER" show flows.csv $words
  expect_one_line "is a column that --geo FILE.mmdb adds"
done

# Files that are no databases, or not whole.
head -c 300 asn.mmdb > cut.mmdb
mkfifo pipe.mmdb
for bad in none.mmdb cut.mmdb flows.csv pipe.mmdb .; do
  makes_nothing 1 "^warpmeter: $bad: (cannot be read|no )" timeout 20 "$WARPMETER" show flows.csv --geo $bad -o out.csv
done
# Whatever byte is wrong, it ends well, or with one line.
python3 - "$WARPMETER" <<'PY'
import random, subprocess, sys
with open("city.mmdb", "rb") as f: whole = f.read()
random.seed(7)
ends = {0: 0, 1: 0}
for number in range(120):
    bytes_ = bytearray(whole)
    begin = whole.index(b"DE") - 40 if number % 2 else 0
    for _ in range(1 + number % 3): bytes_[random.randrange(begin, len(whole))] = random.randrange(256)
    with open("bad.mmdb", "wb") as f: f.write(bytes_)
    done = subprocess.run([sys.argv[1], "show", "-q", "flows.csv", "--geo", "bad.mmdb", "-o", "bad.csv"],
                          capture_output=True, text=True, timeout=20)
    assert done.returncode in ends, (done.returncode, done.stderr)
    ends[done.returncode] += 1
    assert done.stderr.count("\n") == done.returncode and (not done.stderr or "bad.mmdb: " in done.stderr), done.stderr
assert min(ends.values()) > 3, ends
PY
