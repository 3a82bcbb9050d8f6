"""Captures to be joined: frames with right checksums, of connections that take turns."""
import os, random, struct
from collections import namedtuple

from attacks import packets

Capture = namedtuple('Capture', 'name path packets size')

PSH, UDP = 8, 17
APART_NS, AT_ONCE, CONNECTIONS = 1_000, 8, 200
DATA = random.Random(7).randbytes(1 << 20)
UDP_HEADER = struct.Struct('>HHHH').pack


def word_sum(data):
    """Of an even number of bytes, as RFC 1071 adds them."""
    return sum(struct.unpack(f'>{len(data) // 2}H', data))


def checksum(total):
    while total > 0xffff: total = (total & 0xffff) + (total >> 16)
    return total ^ 0xffff


class Payloads:
    """Some payloads of one length, whose sums are known."""
    def __init__(self, size, kinds=64):
        self.all = [DATA[i * 4096:i * 4096 + size] for i in range(kinds)]
        self.sums = [word_sum(data + b'\0' * (size % 2)) for data in self.all]
        self.size = size

    def __getitem__(self, i): return self.all[i % len(self.all)], self.sums[i % len(self.all)]


class Side:
    """One direction of a connection."""
    def __init__(self, number, back):
        ends = 0x0a000000 + number, 0xc0000200 + number % 250
        ports = 1024 + number % 60_000, 443
        self.source, self.destination = ends[::-1] if back else ends
        self.ports = ports[::-1] if back else ports
        self.sequence, self.id = 1000 * number, 0

    def ip(self, size, protocol):
        self.id = self.id + 1 & 0xffff
        fields = 0x45, 0, 20 + size, self.id, 0x4000, 64, protocol
        return packets.IP4(*fields, checksum(word_sum(packets.IP4(*fields, 0, self.source, self.destination))),
                           self.source, self.destination)

    def tcp(self, other, flags, data=b'', data_sum=0):
        fields = *self.ports, self.sequence & 0xffffffff, other.sequence & 0xffffffff, 0x50, flags, 1000
        header = packets.TCP(*fields, 0, 0)
        ip = self.ip(20 + len(data), 6)
        total = word_sum(header) + word_sum(ip[12:]) + 6 + 20 + len(data) + data_sum
        self.sequence += len(data)
        return packets.ETHERNET4 + ip + packets.TCP(*fields, checksum(total), 0) + data

    def udp(self, data):                    # without a checksum, which nobody asks for
        return packets.ETHERNET4 + self.ip(8 + len(data), UDP) + UDP_HEADER(*self.ports, 8 + len(data), 0) + data


def transfer(number, payloads, at_once):
    """Writes of so many segments, without end; every other one is acknowledged."""
    server, client = Side(number, True), Side(number, False)
    i = number
    while True:
        for j in range(1, at_once + 1):
            yield server.tcp(client, packets.ACK | (PSH if j == at_once else 0), *payloads[i + j])
            if j % 2 == 0: yield client.tcp(server, packets.ACK)
        i += at_once


def talk(number, payloads):
    """A request and an answer of a packet each, in turns."""
    sides = Side(number, False), Side(number, True)
    while True:
        for one, other in (sides, sides[::-1]): yield one.tcp(other, packets.ACK | PSH, *payloads[number])


def datagrams(number, payloads):
    side = Side(number, True)
    while True: yield side.udp(payloads[number][0])


BULK, SMALL, QUIC, WORDS = Payloads(1460), Payloads(200), Payloads(1200), Payloads(300)


def mixed(number):
    """Half of it transfers, a quarter datagrams, a quarter requests and answers."""
    kind = number % 4
    return transfer(number, BULK, 44) if kind < 2 else datagrams(number, QUIC) if kind == 2 else talk(number, WORDS)


SHAPES = {'bulk: 1,460 bytes': lambda number: transfer(number, BULK, 44),
          'small: 200 bytes': lambda number: transfer(number, SMALL, 10),
          'mixed with others': mixed}


def frames(shape, count):
    """Some packets of a connection, then some of another."""
    chance = random.Random(1)
    connections = [SHAPES[shape](number) for number in range(1, CONNECTIONS + 1)]
    time_ns = 0
    while count > 0:
        connection = chance.choice(connections)
        for _ in range(min(count, chance.randrange(1, 2 * AT_ONCE))):
            frame = next(connection)
            time_ns += APART_NS
            yield time_ns, (frame, len(frame))
            count -= 1


def write(path, shape, count):
    written = packets.write(path, frames(shape, count))
    return Capture(shape, path, written, os.path.getsize(path))
