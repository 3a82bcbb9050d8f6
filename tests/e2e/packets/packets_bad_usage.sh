#!/usr/bin/env bash
# What `packets` refuses, in one line each; no output is left, and no input is written over.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 3000 -o t.pcap
cp t.pcap kept.pcap
"$WARPMETER" extract -q -o flows.csv t.pcap
"$WARPMETER" decode -q -o set t.pcap
refused() {
  local status=$1 line=$2
  shift 2
  expect_status "$status" "$WARPMETER" packets -q "$@"
  expect_one_line "$line"
}
refused 2 'output is required' t.pcap -f tcp
refused 2 'which form.*tables in .csv' t.pcap -o out.ipfix
refused 2 'no column' t.pcap -f 'pakets > 1' -o out.pcap
refused 2 'segments hold no bytes of packets' set -o out.pcap
refused 2 'read twice with -f' - -f tcp -o out.pcap
mkfifo pipe
refused 2 'read twice with -f' pipe -f tcp -o out.pcap
refused 2 '^warpmeter: --idle-timeout: it goes with -f' t.pcap --idle-timeout 1s -o out.pcap
refused 2 '^warpmeter: --biflow: it goes with -f' t.pcap --biflow -o out.pcap
refused 2 '^warpmeter: --biflow: not with --flows' t.pcap --flows flows.csv --biflow -o out.pcap
refused 2 '^warpmeter: --active-timeout: it goes with -f, and without --flows' t.pcap --flows flows.csv --active-timeout 1s -o out.pcap
refused 2 'only biflows have: it goes with --biflow' t.pcap -f unanswered -o out.pcap
refused 2 'f asks for vlan_id: it goes with --key-vlan' t.pcap -f 'not tcp or vlan_id = 20' -o out.pcap
refused 2 'f asks for labels, .* goes with --flows FILE of extract --policy' t.pcap -f 'labels = http' -o out.pcap
refused 2 'standard input is named twice' - --flows - -o out.pcap
refused 1 'absent.csv' t.pcap --flows absent.csv -o out.pcap
refused 1 't.pcap' t.pcap --flows t.pcap -o out.pcap
refused 1 't.pcap' t.pcap -f tcp -o t.pcap
refused 2 'more flows are selected|--memory' t.pcap -f ip -o out.pcap --memory 1
for stats in t.pcap; do refused 1 't.pcap' t.pcap -f tcp -o out.pcap --stats "$stats"; done
cmp t.pcap kept.pcap
[ ! -e out.pcap ] || fail "there is an output"
# Flows in a file that is the output, and the other way round.
cp flows.csv flows.pcap
refused 1 'flows.pcap' t.pcap --flows flows.pcap -o flows.pcap
cmp flows.csv flows.pcap

# A file that is missing is no pipe: the others are read.
expect_status 3 "$WARPMETER" packets -q t.pcap absent.pcap -f tcp -o some.pcap
expect_one_line 'absent.pcap'
"$WARPMETER" packets -q t.pcap -f tcp -o whole.pcap
cmp some.pcap whole.pcap
# Flows of another capture, and a filter that none of one direction meets.
"$TRAFFIC_GEN" --packets 2000 --seed 99 -o other.pcap
"$WARPMETER" extract -q -o other.csv other.pcap
expect_status 0 "$WARPMETER" packets -q t.pcap --flows other.csv -o none.pcap
expect_one_line 'no packet that was read belongs to a flow that is selected'
expect_status 0 "$WARPMETER" packets -q t.pcap --flows flows.csv -f unanswered -o none.pcap
expect_one_line 'only biflows have'

# Places that are not there are told before anything is read, and verdicts that the method does not have.
expect_status 1 "$WARPMETER" packets -q t.pcap -o out.csv --tmpdir absent
expect_one_line '^warpmeter: absent: '
refused 2 '-w stray: --method five-tuple finds no such packets' t.pcap --method five-tuple -w new,stray -o out.csv

# Times that a capture cannot tell are told to be others.
python3 - <<'PY'
import struct
def block(kind, body): return struct.pack('<II', kind, len(body) + 12) + body + struct.pack('<I', len(body) + 12)
header = block(0x0a0d0d0a, struct.pack('<IHHq', 0x1a2b3c4d, 1, 0, -1))
frame = bytes.fromhex('020000000002020000000001' '0800') + struct.pack('>BBHHHBBH', 0x45, 0, 28, 7, 0, 64, 17, 0) + \
    bytes([10, 0, 0, 1, 10, 0, 0, 2]) + struct.pack('>HHHH', 5000, 53, 8, 0)
def capture(name, offset, seconds):
    option = struct.pack('<HHq', 14, 8, offset) + struct.pack('<HHBxxx', 9, 1, 9) + struct.pack('<HH', 0, 0)
    packet = struct.pack('<IQII', 0, 0, 0, 0)
    with open(name, 'wb') as out:
        out.write(header + block(1, struct.pack('<HHI', 1, 0, 0) + option))
        for second in seconds:
            ns = second * 10**9
            padded = frame + bytes(-len(frame) % 4)
            out.write(block(6, struct.pack('<IIIII', 0, ns >> 32, ns & 0xffffffff, len(frame), len(frame)) + padded))
capture('early.pcapng', -100, [1, 2])
capture('late.pcapng', 4418000000, [1])
PY
expect_status 0 "$WARPMETER" packets -q early.pcapng -o out.pcapng
expect_one_line 'out.pcapng: 2 packets have a time before 1970, which pcapng cannot tell: it has the nearest that it can$'
expect_status 0 "$WARPMETER" packets -q late.pcapng -w no_segment -o out.pcap
expect_one_line 'out.pcap: 1 packet has a time before 1970 or behind 2106, which pcap cannot tell: it has the nearest that it can$'
expect_status 0 "$WARPMETER" packets -q late.pcapng -o out.pcapng
[ ! -s stderr.txt ] || fail "$(cat stderr.txt)"
rm out.pcap out.pcapng

# A full disk, and standard output.
expect_status 1 "$WARPMETER" packets -q t.pcap -f tcp -o /dev/full
"$WARPMETER" packets -q t.pcap -f tcp -o - >piped.pcapng
"$WARPMETER" packets -q piped.pcapng -o a.pcap
"$WARPMETER" packets -q t.pcap -f tcp -o b.pcap
cmp a.pcap b.pcap
no_leftovers
