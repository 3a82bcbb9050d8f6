#!/usr/bin/env bash
# Time that runs back by more than the idle timeout after idle flows were let go: packets that find their flow gone are
# counted as late, and their flow is put together again: keys, times, packets and bytes are those of a meter that forgets
# nothing.
. "$(dirname "$0")/../common.sh"
# No five-tuple is used twice, and nothing comes before its SYN: which of two connections a packet belongs to is what lost
# sequence state cannot tell.
[ "${LONG:-OFF}" = ON ] || SCALE=4
"$TRAFFIC_GEN" --packets $((400000 / SCALE)) --mean-packets 4 --flows 1000 --rate $((10000 / SCALE)) --port-reuse 0 --mid-stream 0 --reorder 0 -o t.pcap
"$WARPMETER" extract --order given --idle-timeout 20s --stats stats.json -o out.csv t.pcap t.pcap 2> summary.txt
grep -q 'late packets' summary.txt || fail "late packets are not reported"
[ "$(sed -n 's/.*"idle flows let go": \([0-9]*\).*/\1/p' stats.json)" -gt 1000 ] || fail "too few idle flows let go"
"$REFERENCE_METER" --idle-timeout 20 t.pcap t.pcap > reference.csv
cmp <(cut -d, -f1-9 reference.csv) <(cut -d, -f1-9 out.csv) || fail "records are split or do not add up"
"$WARPMETER" extract -q --order given --idle-timeout 20s --threads 7 --batch 77 -o other.csv t.pcap t.pcap
cmp out.csv other.csv
