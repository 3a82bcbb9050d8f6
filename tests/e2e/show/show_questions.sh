#!/usr/bin/env bash
# The lines of docs/questions.md find what they ask for, in traffic that has each of these troubles once, among others.
. "$(dirname "$0")/../common.sh"
python3 - <<'PY'
import random, socket, struct
records, chance = [], random.Random(5)
def packet(ns, source, destination, flags, seq=1000, size=0, window=1000):
    (a, sport), (b, dport) = source, destination
    tcp = struct.pack('!HHIIBBHHH', sport, dport, seq, 0, 5 << 4, flags, window, 0, 0) + bytes(size)
    packet.id = getattr(packet, 'id', 0) % 65535 + 1
    records.append((ns, struct.pack('!BBHHHBBH', 0x45, 0, 20 + len(tcp), packet.id, 0, 64, 6, 0) +
                    socket.inet_aton(a) + socket.inet_aton(b) + tcp))
F, S, R, P, A, U = (1 << i for i in range(6))
MS, SECOND = 10 ** 6, 10 ** 9
def connection(client, server, begin, answer_ms=5, segments=20, size=1000, again=(), late=(), zero=0, step=MS, closes=True, acks=False):
    packet(begin, client, server, S)
    packet(begin + answer_ms * MS, server, client, S | A, seq=5000)
    at = begin + (answer_ms + 1) * MS
    packet(at, client, server, A, seq=1001)
    order = [i for i in range(segments) if i not in late]
    for i in order:
        packet(at + (i + 1) * step, server, client, A, seq=5001 + i * size, size=size)
        if acks: packet(at + (i + 1) * step + 1000, client, server, A, seq=1001)
    for i in again: packet(at + (segments + 5) * step, server, client, A, seq=5001 + i * size, size=size)
    for i in late: packet(at + (segments + 6) * step, server, client, A, seq=5001 + i * size, size=size)
    for i in range(zero): packet(at + (segments + 7) * step, client, server, A, seq=1001, window=0)
    if not closes: return
    packet(at + (segments + 9) * step, server, client, F | A, seq=5001 + segments * size)
    packet(at + (segments + 10) * step, client, server, F | A, seq=1001)
T = 1_700_000_000 * SECOND
for i in range(30): connection((f'10.0.0.{i + 1}', 40000 + i), (f'192.168.1.{i % 5 + 1}', 443), T + i * SECOND, segments=30)
for i in range(6): connection((f'10.0.1.{i}', 41000), ('192.168.2.9', 80), T + i * SECOND, segments=30, again=range(6))   # resends
for i in range(6): connection((f'10.0.7.{i}', 41000), ('192.168.1.1', 80), T + i * SECOND, segments=30, late=(3, 4))      # lost before
for i in range(9): connection((f'10.0.2.{i}', 42000), ('192.168.3.3', 8443), T + i * SECOND, answer_ms=400)                # slow
connection(('10.0.3.3', 43000), ('192.168.1.1', 443), T, zero=7)                                                         # cannot keep up
connection(('10.0.4.4', 44000), ('192.168.1.2', 22), T, segments=9, size=10, step=100 * SECOND, closes=False, acks=True)                          # lives long
for i in range(60): packet(T + i * MS, ('10.9.9.9', 50000 + i), (f'192.168.5.{i}', 23), S)                               # scans
for i in range(40):                                                                                                      # half open
    packet(T + i * MS, (f'10.8.{i}.1', 51000), ('192.168.6.6', 25), S)
    packet(T + i * MS + 1000, ('192.168.6.6', 25), (f'10.8.{i}.1', 51000), S | A)
for i in range(300): packet(T + i * MS, ('10.7.7.7', 52000), ('203.0.113.5', 443), A, seq=1000 + 1400 * i, size=1400)    # sends out
for flags in (0, F, F | P | U, S | F): packet(T, ('10.6.6.6', 53000 + flags), ('192.168.1.1', 80), flags)                # odd
with open('trace.pcap', 'wb') as f:
    f.write(struct.pack('<IHHiIII', 0xa1b23c4d, 2, 4, 0, 0, 65535, 101))
    for ns, data in sorted(records, key=lambda record: record[0]):
        f.write(struct.pack('<IIII', ns // SECOND, ns % SECOND, len(data), len(data)) + data)
PY
warpmeter() { "$WARPMETER" "$@"; }
warpmeter extract -q -o flows.csv trace.pcap
warpmeter extract -q --biflow -o both.csv trace.pcap
# ask WORDS-OF-THE-QUESTION: runs the line below it.
ask() {
  line=$(grep -A5 -F -- "$1" "$SOURCE/docs/questions.md" | sed -n 's/^warpmeter show/warpmeter show -q/p' | head -1)
  [ -n "$line" ] || fail "the page does not ask: $1"
  eval "$line" > answer.csv
}
first() { sed -n 2p answer.csv; }
# is FIRST-ROW-PATTERN ROWS
is() {
  first | grep -qE "$1" || fail "$line: $(head -3 answer.csv)"
  [ "$(rows answer.csv)" = "$2" ] || fail "$line: $(rows answer.csv) rows, not $2"
}
ask 'Which servers retransmit most?'; is '^192.168.2.9,80,6,' 9
ask 'On which side of the capture'
grep -q '^10.0.7.0/24,12,0,0$' answer.csv || fail "$(cat answer.csv)"
grep -q '^10.0.1.0/24,0,36,0$' answer.csv || fail "$(cat answer.csv)"
ask 'Who are the top talkers'; is '^16999998[0-9]*,' 5
grep -q '^1699999800000000000,10.7.7.7,[0-9]*,' answer.csv || fail "$(cat answer.csv)"
ask 'Which servers answer slowly?'; is '^192.168.3.3,8443,9,400000000,400000000$' 10
ask 'Which receivers do not keep up?'; is '^10.0.3.3,' 1
ask 'Who scans?'; is '^10.9.9.9,60,60,1$' 1
ask 'Which servers have half-open'; is '^192.168.6.6,25,40,' 1
ask 'Who sends much out'; is '^10.7.7.7,203.0.113.5,1,300,' 1
ask 'Which connections live long'; is '^10.0.4.4,192.168.1.2,44000,22,6,' 1
ask 'Are there flags'
[ "$(cut -d, -f1-3 answer.csv | sort | tr '\n' ' ')" = "10.6.6.6,0,1 10.6.6.6,1,1 10.6.6.6,3,1 10.6.6.6,41,1 src_addr,tcp_flags,flows " ] \
  || fail "$(cat answer.csv)"
[ "$(grep -c '^warpmeter show' "$SOURCE/docs/questions.md")" = 10 ] || fail "not ten questions"
