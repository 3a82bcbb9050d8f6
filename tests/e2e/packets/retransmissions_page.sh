#!/usr/bin/env bash
# docs/retransmissions.md: its capture is the one that tests/docs/retransmissions_capture.py writes, and each packet in its
# tables is what the columns say: to warpmeter by both methods, to tshark 4.0, to tcptrace, and by the rule of Zeek.
. "$(dirname "$0")/../common.sh"
python3 "$SOURCE/tests/docs/retransmissions_capture.py" made.pcap
cmp made.pcap "$DATA/retransmissions.pcap" || fail "data/retransmissions.pcap is another capture"
for method in exact five-tuple; do "$WARPMETER" packets -q made.pcap --method $method -o $method.csv; done
missing=()
! tshark --version 2>/dev/null | grep -q '^TShark (Wireshark) 4\.0\.' && missing+=('tshark 4.0')
command -v tcptrace >/dev/null || missing+=(tcptrace)
python3 - "$SOURCE" "${missing[@]}" <<'PY'
import csv, os, re, subprocess, sys
source, *missing = sys.argv[1:]
sys.dont_write_bytecode = True
sys.path.insert(0, f'{source}/tools')
from tcptrace_graphs import said_by_tcptrace
from verdict_differences import FIN, SYN, number

WORDS = ['zero_window_probe', 'keep_alive', 'retransmission', 'fast_retransmission', 'spurious_retransmission', 'out_of_order']


def warpmeter(method):
    with open(f'{method}.csv') as rows: return {row['number']: row for row in csv.DictReader(rows)}


def verdict(row, with_bytes):
    word = '-' if row['verdict'] == 'new' else row['verdict']
    return f'{word} {row["seen_before"]}' if with_bytes and row['seen_before'] not in ('', '0') else word


def tshark():
    fields = [f'-etcp.analysis.{word}' for word in WORDS]
    lines = subprocess.run(['tshark', '-n', '-r', 'made.pcap', '-Tfields', '-eframe.number', *fields], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    told = (line.split('\t') for line in lines)
    return {values[0]: ' '.join(word for word, value in zip(WORDS, values[1:]) if value) or '-' for values in told}


def tcptrace(rows):
    packets, _ = said_by_tcptrace('made.pcap', '.', list(rows.values()))
    assert not any('not read' in packet.words or packet.is_unsure for packet in packets)
    return {packet.row['number']: ' '.join(packet.words) or '-' for packet in packets}


def zeek(rows):
    """A segment with payload that ends at or below the highest number; a SYN begins anew, since all here are of new connections
    or come before any payload."""
    highest, told = {}, {}
    for name, row in rows.items():
        way = row['src_addr'], row['src_port'], row['dst_addr'], row['dst_port']
        flags, payload = number(row['tcp_flags']), number(row['payload_bytes'])
        end = number(row['sequence']) + payload + (flags & SYN > 0) + (flags & FIN > 0)
        if flags & SYN: highest[way] = end
        told[name] = 't' if payload and end <= highest[way] else '-'
        highest[way] = max(highest[way], end)
    return told


exact = warpmeter('exact')
columns = {'warpmeter': {name: verdict(row, True) for name, row in exact.items()},
           'five-tuple': {name: verdict(row, False) for name, row in warpmeter('five-tuple').items()}, 'Zeek': zeek(exact)}
if 'tshark 4.0' not in missing: columns['tshark'] = tshark()
if 'tcptrace' not in missing: columns['tcptrace'] = tcptrace(exact)
with open(f'{source}/docs/retransmissions.md', encoding='utf-8') as page: lines = page.read().splitlines()
checked, bad, said = 0, [], set()
for line in lines:
    cells = [cell.strip() for cell in line.strip('|').split('|')]
    if cells[0] == 'packet': heads = cells
    if not re.fullmatch(r'\d+', cells[0]) or heads[0] != 'packet': continue
    row = exact[cells[0]]
    if cells[1] not in (row['src_port'], row['dst_port']): bad.append(f'{line}: the port is another one')
    for head, cell in zip(heads[3:], cells[3:]):
        if head not in columns: continue
        checked += 1
        if columns[head][cells[0]] != cell: bad.append(f'packet {cells[0]}, {head}: {columns[head][cells[0]]}, and not {cell}')
    said.add(cells[0])
# All that is something to one of them has its row.
for name in exact:
    if name not in said and any(told[name] != '-' for told in columns.values()): bad.append(f'packet {name} has no row')
for line in bad: print(line)
print(f'{checked} cells')
sys.exit(1 if bad or checked < 3 * 20 else 0)
PY
[ ${#missing[@]} = 0 ] || { echo "${missing[*]} would run the rest"; exit 77; }
