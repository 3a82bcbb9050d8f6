"""What tcptrace says of a capture, for tools/compare_tcptrace: its connections, with their sums, and which packets have
a letter in their time-sequence graphs.
"""
import bisect, collections, csv, glob, ipaddress, os, re, subprocess

from verdict_differences import FIN, LONGEST, SYN, number

SILENCE = 240 * 10**6  # microseconds after which tcptrace begins another connection

# What a letter says of its packet, at which of its numbers it stands (see Packet), and whether of packets that look the
# same in a graph the first ones have it, or the last ones.
LETTERS = (('retransmitted', re.compile('(R|HD)( SYN| FIN)?'), 'again_at', 'last'),
           ('out_of_order', re.compile('O'), 'end', 'first'), ('probe', re.compile('P'), 'end', 'last'))


def end_of(address, port):
    """As the table of packets has it; ::1 is :0001 to tcptrace."""
    return str(ipaddress.ip_address(':' + address if re.match(':[^:]', address) else address)), port


def microseconds(seconds):
    whole, part = seconds.split('.')
    return int(whole) * 10**6 + int(part)


class Packet:
    """A TCP packet of the table. What tcptrace takes it for is in `words`, its payload by tcptrace is `length`, and the
    bytes that it has to count as sent again are `again`."""

    def __init__(self, row):
        self.row, self.flags, self.payload = row, number(row['tcp_flags']), number(row['payload_bytes'])
        self.ends = (row['src_addr'], row['src_port']), (row['dst_addr'], row['dst_port'])
        self.time, self.start = int(row['time_ns']) // 1000, number(row['sequence'])
        self.has_header, self.is_unsure, self.length, self.words = row['sequence'] != '', False, self.payload, []
        self.first_of_connection, self.is_below, self.again, self.forgotten = 0, False, 0, 0
        self.rounds, self.strays = 0, 0

    @property
    def numbers(self): return self.length + (self.flags & SYN > 0) + (self.flags & FIN > 0)

    @property
    def end(self): return (self.start + self.length) % 2**32

    @property
    def again_at(self):
        return ((self.start if self.flags & SYN else self.end) + (self.flags & (SYN | FIN) > 0)) % 2**32


class Graphs:
    """Of all connections: which packets are drawn, with how many bytes, and the letters beside them."""

    def __init__(self, folder):
        self.drawn, self.letters, self.fins = collections.defaultdict(list), collections.defaultdict(list), set()
        for path in glob.glob(os.path.join(folder, '*_tsg.xpl')):
            with open(path, errors='replace') as lines: self.read([line.split() for line in lines])

    def read(self, lines):
        ends = tuple(end_of(*name.rsplit(':', 1)) for name in lines[2][0].split('_==>_'))
        for at, words in enumerate(lines):
            if not words or not re.fullmatch('darrow|diamond|box|[abcl]text', words[0]): continue
            place = ends, microseconds(words[1]), int(words[2]) % 2**32
            behind = lines[at + 1:at + 5] + [[]]
            if words[0].endswith('text'): self.letters[place].append(' '.join(behind[0]))
            elif words[0] == 'box': self.fins.add(place)
            elif words[0] == 'darrow' or behind[0][:1] == ['atext']:
                self.drawn[place].append(self.length_of(words, behind))

    @staticmethod
    def length_of(words, behind):
        """By the line from the first number of the packet to its last one; a SYN has none."""
        if words[0] == 'diamond': return None
        ends = [int(line[4]) for line in behind if line[:3] == ['line', *words[1:3]] and line[3] == words[1]]
        return (ends[0] - int(words[2])) % 2**32 if ends else 0

    def give_words(self, packets):
        """Sets packet.words."""
        for packet in packets:
            lengths = self.drawn.get((packet.ends, packet.time, packet.start))
            if not lengths or not packet.has_header: packet.words.append('not read')
            else:
                length = lengths.pop(0)
                if length is not None: packet.length = length
                box = packet.ends, packet.time, (packet.end + 1) % 2**32
                if packet.flags & FIN and box not in self.fins: packet.length = 0  # the line was that of the FIN
        for word, letter, where, which in LETTERS:
            alike = collections.defaultdict(list)
            for packet in packets:
                if packet.numbers: alike[packet.ends, packet.time, getattr(packet, where)].append(packet)
            for place, some in alike.items():
                letters = [text for text in self.letters.get(place, ()) if letter.fullmatch(text)]
                if which == 'last': some.reverse()
                for packet in some[:len(letters)]:
                    packet.words.append(word)
                    # Of a SYN or FIN it does not say whether it was sent again, too.
                    packet.is_unsure |= any(text in ('HD SYN', 'HD FIN') for text in letters)


class Connection:
    """A row of tcptrace's, and the packets of the capture that belong to it, by direction: as in its columns, _a2b and
    _b2a."""

    def __init__(self, row):
        self.row, self.first_time = row, microseconds(row['first_packet'])
        self.a, self.b = end_of(row['host_a'], row['port_a']), end_of(row['host_b'], row['port_b'])
        self.packets, self.last_time = {'_a2b': [], '_b2a': []}, None

    def add(self, packet):
        self.packets['_a2b' if packet.ends[0] == self.a else '_b2a'].append(packet)
        self.last_time = packet.time


def connections_of(rows, packets):
    """All of them, with their packets. Of several with the same ends the latest that began before a packet has it."""
    connections = [Connection(row) for row in rows]
    between = collections.defaultdict(list)
    for connection in connections: between[frozenset((connection.a, connection.b))].append(connection)
    for packet in packets:
        some = between.get(frozenset(packet.ends))
        if not some: continue
        at = max(0, bisect.bisect_right([one.first_time for one in some], packet.time) - 1)
        # In the microsecond in which it began there may be packets of the one before, unless it began after a silence.
        if at and some[at].last_time is None and not packet.flags & SYN and some[at - 1].last_time is not None:
            if packet.time - some[at - 1].last_time <= SILENCE: at -= 1
        some[at].add(packet)
    return connections


def said_by_tcptrace(path, folder, rows):
    """Of the rows of the table of packets those of TCP, with its words, and its connections; None where it cannot read
    the capture, or takes too long."""
    words = ['tcptrace', '-n', '-l', '-r', '--csv', '-S', f'--output_dir={folder}', os.path.abspath(path)]
    try: done = subprocess.run(words, capture_output=True, text=True, errors='replace', timeout=LONGEST, cwd=folder)
    except subprocess.TimeoutExpired: return None
    if done.returncode: return None
    lines = [line for line in done.stdout.splitlines() if line and line[0] != '#']
    told = [{name.strip(): value.strip() for name, value in row.items() if name and value}
            for row in csv.DictReader(lines)]
    packets = [Packet(row) for row in rows if row['protocol'] == '6']
    Graphs(folder).give_words(packets)
    return packets, connections_of(told, packets)
