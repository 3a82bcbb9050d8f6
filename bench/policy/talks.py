"""A capture of connections that say what they are, as most do with their first packets: TLS, HTTP, SSH, SMTP, DNS, and
some of which nobody knows anything."""
import random, struct
from collections import namedtuple
from itertools import count

from attacks import packets

Capture = namedtuple('Capture', 'path packets payload_bytes')

SEGMENT, AT_ONCE, APART_NS = 1460, 500, 5_000
SHARES = {'tls': 55, 'http': 20, 'ssh': 4, 'smtp': 4, 'unknown': 7, 'dns': 10}      # per cent of connections
DATA = random.Random(7).randbytes(1 << 20)


def counted(width, data): return len(data).to_bytes(width, 'big') + data
def extension(kind, data): return struct.pack('>H', kind) + counted(2, data)


def client_hello(name):
    extensions = (extension(0, counted(2, b'\0' + counted(2, name))) + extension(10, counted(2, b'\0\x1d\0\x17')) +
                  extension(16, counted(2, b'\2h2\x08http/1.1')) + extension(43, b'\4\3\4\3\3'))
    hello = (b'\3\3' + DATA[:32] + counted(1, DATA[32:64]) + counted(2, b'\x13\1\x13\2\xc0\x2f') + b'\1\0' +
             counted(2, extensions))
    return b'\x16\3\1' + counted(2, b'\1' + counted(3, hello))


SERVER_HELLO = b'\x16\3\3' + counted(2, b'\2' + counted(3, b'\3\3' + DATA[64:96] + b'\0\x13\1\0' + counted(2, b'')))


def opening(kind, name):
    """-> what the client says first, what the server answers, who begins."""
    if kind == 'tls': return client_hello(name), SERVER_HELLO, False
    if kind == 'http': return b'GET / HTTP/1.1\r\nHost: %s\r\n\r\n' % name, b'HTTP/1.1 200 OK\r\n\r\n', False
    if kind == 'ssh': return b'SSH-2.0-OpenSSH_9.2\r\n', b'SSH-2.0-OpenSSH_9.2\r\n', True
    if kind == 'smtp': return b'EHLO %s\r\n' % name, b'220 mail.%s ESMTP\r\n' % name, True
    return DATA[96:160], DATA[160:300], False


def connection(kind, number, chance):
    """Frames of one connection of TCP."""
    name = b'host%d.example' % (number % 1000)
    port = {'tls': 443, 'http': 80, 'ssh': 22, 'smtp': 25}.get(kind, 4000 + number % 1000)
    ends = {'source': 0x0a000000 + number % 0xfffff, 'destination': 0xc0000200 + number % 200,
            'source_port': 1024 + number % 60000, 'destination_port': port}
    back = {'source': ends['destination'], 'destination': ends['source'], 'source_port': port,
            'destination_port': ends['source_port']}
    sides = [packets.Tcp4(**ends), packets.Tcp4(**back)]
    sent = [1000, 5000]

    def say(server, data=b'', flags=packets.ACK):
        frame = sides[server](seq=sent[server], ack=sent[not server], flags=flags, data=data)
        sent[server] += len(data) + bool(flags & (packets.SYN | packets.FIN))
        return frame, len(data)

    yield say(0, flags=packets.SYN)
    yield say(1, flags=packets.SYN | packets.ACK)
    yield say(0)
    asked, answered, server_begins = opening(kind, name)
    yield say(*(1, answered) if server_begins else (0, asked))
    yield say(*(0, asked) if server_begins else (1, answered))
    for piece in range(min(int(chance.expovariate(1 / 30)), 400)):      # a download, acknowledged
        begin = chance.randrange(len(DATA) - SEGMENT)
        yield say(1, DATA[begin:begin + SEGMENT])
        if piece % 2: yield say(0)
    yield say(0, flags=packets.FIN | packets.ACK)
    yield say(1, flags=packets.FIN | packets.ACK)
    yield say(0)


def question(number):
    """A DNS query and its answer."""
    ports, name = (1024 + number % 60000, 53), counted(1, b'host%d' % (number % 1000)) + b'\7example\0'
    hosts = (0x0a000000 + number % 0xfffff, 0xc0000235)
    for way, flags in ((1, 0x0100), (-1, 0x8180)):
        message = struct.pack('>HHHHHH', number & 0xffff, flags, 1, 0, 0, 0) + name + b'\0\1\0\1'
        datagram = struct.pack('>HHHH', *ports[::way], 8 + len(message), 0) + message
        yield packets.ip4(*hosts[::way], 17, datagram), len(message)


def all_packets(most, told):
    """(time, frame) of connections that go on beside each other, about so many. `told`: gets the bytes of payload."""
    if not most: return
    chance, numbers, clock = random.Random(3), count(), count(0, APART_NS)
    kinds, weights = zip(*SHARES.items())

    def begin():
        number, kind = next(numbers), chance.choices(kinds, weights)[0]
        return question(number) if kind == 'dns' else connection(kind, number, chance)

    alive, made = [begin() for _ in range(AT_ONCE)], 0
    while alive:
        going_on = []
        for one in alive:
            packet = next(one, None)
            if packet is None:
                if made < most: going_on.append(begin())
                continue
            made += 1
            told[0] += packet[1]
            yield next(clock), packet[0]
            going_on.append(one)
        alive = going_on


def write(path, most):
    told = [0]
    written = packets.write(path, all_packets(most, told))
    return Capture(path, written, told[0])
