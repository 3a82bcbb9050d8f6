#!/usr/bin/env bash
# --anonymize: the same Flow Records under other addresses that share as many leading bits, in the order of these, from
# extract and from merge alike; nothing that names hosts stays.
. "$(dirname "$0")/../common.sh"
head -c 32 /dev/urandom > key; chmod 600 key
if ! "$WARPMETER" extract -q --anonymize key -o try.csv "$DATA/first-look.pcap" 2> said.txt; then
  grep -q 'without libnettle' said.txt || fail "$(cat said.txt)"
  echo "a build with libnettle (nettle-dev) runs this"
  exit 77
fi
[ ! -s said.txt ] || fail "it says $(cat said.txt)"
"$TRAFFIC_GEN" --packets 20000 --mean-packets 8 --flows 300 --icmp 0.1 -o trace.pcap
extract() { "$WARPMETER" extract -q trace.pcap "$@"; }

extract --columns first_packet -o plain.csv
extract --columns first_packet --anonymize key -o other.csv
python3 - <<'PY'
import csv, ipaddress
def rows(name):
    with open(name) as file: return list(csv.DictReader(file))
plain, other = rows('plain.csv'), rows('other.csv')
ends = 'src_addr', 'dst_addr'
by_packet = {row['first_packet']: row for row in plain}
assert len(by_packet) == len(plain) == len(other) > 1000
became = {}
for row in other:
    before = by_packet[row['first_packet']]
    assert {k: v for k, v in row.items() if k not in ends} == {k: v for k, v in before.items() if k not in ends}
    for end in ends: assert became.setdefault(before[end], row[end]) == row[end]
number = ipaddress.ip_address
def shared(a, b):
    a, b = number(a), number(b)
    assert a.version == b.version
    return a.max_prefixlen - (int(a) ^ int(b)).bit_length()
met = set()
for version in 4, 6:
    names = [name for name in became if number(name).version == version]
    for i, a in enumerate(names[:150]):
        for b in names[:i]:
            bits = shared(a, b)
            assert bits == shared(became[a], became[b]), (a, b)
            met.add(bits)
assert len(met) > 12, met
assert sum(a == b for a, b in became.items()) < len(became) / 50
def key(row):
    ends_ = [number(row[end]) for end in ends]
    return [ends_[0].version, *map(int, ends_), *(int(row[n]) for n in ('src_port', 'dst_port', 'protocol', 'start_ns', 'end_ns'))]
assert [key(row) for row in other] == sorted(key(row) for row in other)
PY

# The same bytes from merge, whatever the form, and however little fits in memory.
for words in "" "--biflow" "--aggregate" "--times us"; do
  for form in csv json parquet ipfix; do
    "$WARPMETER" extract -q -o try.$form "$DATA/first-look.pcap" 2> /dev/null || continue  # a build without it
    times=; [ "$words" != "--times us" ] || times=$words
    [ -z "$times" ] || [ $form != ipfix ] || continue
    extract $words -o plain.$form
    extract $words --anonymize key --threads 3 -o once.$form
    "$WARPMETER" merge -q $times --anonymize key -o merged.$form plain.$form
    cmp once.$form merged.$form || fail "$words $form: merge gives something else"
    ! cmp -s once.$form plain.$form || fail "$form: nothing was replaced"
  done
done
# Where so little fits in memory that they go through many runs (and flows are evicted, in both alike).
for words in "" "--biflow"; do
  extract $words --memory 1M --columns first_packet -o plain.csv
  extract $words --memory 1M --columns first_packet --anonymize key -o small.csv
  "$WARPMETER" merge -q --columns first_packet --anonymize key -o merged.csv plain.csv
  cmp small.csv merged.csv
done
# Another key gives other addresses, the same one the same.
extract --anonymize key -o again.csv; extract -o plain.csv
head -c 32 /dev/urandom > key2; chmod 600 key2
extract --anonymize key2 -o other.csv
! cmp -s again.csv other.csv || fail "two keys, one output"
# A Community ID is that of the addresses that stand beside it.
extract --anonymize key --community-id -o with-id.csv
"$WARPMETER" show -q again.csv --community-id -o shown.csv
cmp with-id.csv shown.csv
# In files by time and to several outputs.
extract --anonymize key --rotate 20ms -o by-time.csv -o by-time.json
"$WARPMETER" merge -q -o whole.csv by-time.csv
"$WARPMETER" merge -q -o whole.json by-time.json
cmp whole.csv again.csv
[ "$(wc -l < whole.json)" = "$(rows again.csv)" ]

# Labels stay, texts that name servers do not, and a line says so.
"$WARPMETER" extract -q --policy stock -o named.csv "$DATA/first-look.pcap"
"$WARPMETER" extract -q --policy stock --anonymize key -o labelled.csv "$DATA/first-look.pcap" 2> said.txt
grep -q '^warpmeter: --anonymize leaves out what may name hosts: .*host' said.txt || fail "$(cat said.txt)"
[ "$(wc -l < said.txt)" = 1 ]
[ "$(head -1 labelled.csv | tr , '\n' | tail -1)" = labels ] || fail "$(head -1 labelled.csv)"
"$WARPMETER" merge -q --anonymize key -o merged.csv named.csv 2> said.txt
cmp labelled.csv merged.csv
sums() { "$WARPMETER" show -q "$1" --sum labels --columns flows,bytes | sort; }
[ "$(sums labelled.csv)" = "$(sums named.csv)" ] || fail "labels differ"

# Of an annex MAC addresses are left out, all else stays with its flow.
"$WARPMETER" extract -q --annex all -o annex.csv "$DATA/first-look.pcap"
"$WARPMETER" extract -q --annex all --anonymize key -o hidden.csv "$DATA/first-look.pcap" 2> said.txt
grep -q '^warpmeter: --anonymize leaves out what may name hosts: src_mac, dst_mac$' said.txt || fail "$(cat said.txt)"
"$WARPMETER" merge -q --anonymize key -o merged.csv annex.csv 2> said.txt
cmp hidden.csv merged.csv
! grep -q -f <(cut -d, -f28-29 annex.csv | tail -n +2 | tr , '\n' | sort -u) hidden.csv || fail "a MAC address is left"
sums() { "$WARPMETER" show -q "$1" --sum ttl,syn_options --columns flows,bytes | sort; }
[ "$(sums hidden.csv)" = "$(sums annex.csv)" ] || fail "annexes differ"

# A live capture: what leaves while it runs, too.
mkdir folder; cp trace.pcap folder/
"$WARPMETER" live -q -i folder:folder --duration 2s --rotate 1h --anonymize key -o live.csv
"$WARPMETER" merge -q -o live-whole.csv live.csv
cut -d, -f1-25 again.csv > a.txt; cut -d, -f1-25 live-whole.csv > b.txt   # why flows ended is another matter
cmp a.txt b.txt

# Keys that are none, or that others may read.
: > empty; head -c 31 key > short; cat key key > long
for bad in empty short long none .; do
  makes_nothing 2 "^warpmeter: --anonymize $bad: (a key has 32 bytes, this file has|cannot be read)" \
    "$WARPMETER" extract -q --anonymize $bad -o bad.csv trace.pcap
done
# No output takes the place of the key.
cp key kept; cp key part.000001.csv
! "$WARPMETER" extract -q --anonymize key --stats key -o bad.csv trace.pcap 2> said.txt || fail "a key became statistics"
grep -q 'key: is an input too' said.txt || fail "$(cat said.txt)"
! "$WARPMETER" merge -q --anonymize part.000001.csv --rotate 1M -o part.csv again.csv 2> said.txt || fail "a key became a part"
cmp key kept; cmp part.000001.csv kept
rm -f part.* bad.csv
makes_nothing 2 "--anonymize and -o key: one file" "$WARPMETER" extract -q --format csv --anonymize key -o key trace.pcap
chmod 644 key
extract --anonymize key -o open.csv 2> said.txt
grep -q '^warpmeter: --anonymize key: others than its owner may read this key' said.txt || fail "$(cat said.txt)"
cmp open.csv again.csv
no_leftovers
