"""The attacks, and of each the random twin: as many packets of the same lengths, as many flows and Flow Records where
these are no part of the attack, but nothing chosen to be slow.

A pattern is a function of a number of packets, of whether it is the attack, and of a random.Random; it yields times and
frames (packets.py). Its options are those of its methods: of `warpmeter extract`, or of what puts streams together
(streams.py)."""
import itertools, struct
from collections import namedtuple

import shards
from packets import ACK, FIN, RST, SYN, Tcp4, ip4, tcp6

Pattern = namedtuple('Pattern', 'name make options packets methods')
ALL = []
METERING = ('exact', 'five-tuple')

MICROSECOND, SECOND = 1_000, 10**9
IDLE = 301 * SECOND


def pattern(name, options=(), packets=1.0, methods=METERING):
    """`packets`: of the usual number, so many."""
    def add(make):
        ALL.append(Pattern(name, make, list(options), packets, methods))
        return make
    return add


def steadily(frames, apart=MICROSECOND): return ((i * apart, frame) for i, frame in enumerate(frames))


def little(number): return int.from_bytes(number.to_bytes(8, 'little'), 'big')


# ---- keys

@pattern('interface ids')
def interface_ids(n, attack, random):
    """Each makes a factor of a hash without secrets 0."""
    prefix, server = 0x20010db800020000, (0x20010db800010000, 1)
    def interface(i): return little(0xd6e8feb86659fd93 ^ i & 0xffff) if attack else random.getrandbits(64)
    return steadily(tcp6((prefix + (i >> 16), interface(i)), server, i & 0xffff, 443, 1000) for i in range(n))


@pattern('prefixes')
def prefixes(n, attack, random):
    """The same, of one port and as many networks as there are packets."""
    interface, server = little(0xd6e8feb86659fd93 ^ 4000), (0x20010db800010000, 1)
    return steadily(tcp6((0x20010db800000000 + (i << 16), interface) if attack else
                         (random.getrandbits(64), random.getrandbits(64)), server, 4000, 443, 1000) for i in range(n))


@pattern('ipv4 endpoints')
def ipv4_endpoints(n, attack, random):
    """Both ends count up together, so that sums and differences of them are few."""
    syn = Tcp4(flags=SYN)
    return steadily(syn(source=0x0a000000 + i, source_port=i & 0xffff, destination=0x0b000000 - i,
                        destination_port=-i & 0xffff) if attack else
                    syn(source=random.getrandbits(32), source_port=random.getrandbits(16),
                        destination=random.getrandbits(32), destination_port=random.getrandbits(16)) for i in range(n))


def of_flows(n, ends):
    """Packets of them in turn, in sequence."""
    segment, flows = Tcp4(payload=100), len(ends)
    return steadily(segment(source=ends[i % flows][0], source_port=ends[i % flows][1], seq=100 * (i // flows),
                            id=i & 0xffff) for i in range(n))


def some_ends(count, attack, random):
    if attack: return shards.in_one(count)
    return [(random.getrandbits(32), random.getrandbits(16)) for _ in range(count)]


@pattern('one shard')
def one_shard(n, attack, random): return of_flows(n, some_ends(n // 20 + 1, attack, random))


@pattern('one shard, ends', ['--memory', '64M'])
def one_shard_ends(n, attack, random):
    """Flows of one packet, of which a shard has room for few."""
    return of_flows(n // 4, some_ends(n // 4, attack, random))


@pattern('tiny flows')
def tiny_flows(n, attack, random):
    syn = Tcp4(flags=SYN)
    return steadily(syn(destination=0x0b000000 + i if attack else random.getrandbits(32)) for i in range(n))


@pattern('icmp types')
def icmp_types(n, attack, random):
    def header(i): return struct.pack('>HHI', i & 0xffff if attack else random.getrandbits(16), 0, i)
    return steadily(ip4(0x0a000001, 0xc0000201, 1, header(i)) for i in range(n))


@pattern('one ipv6 server', ['--biflow'])
def one_ipv6_server(n, attack, random):
    """The lesser end of all flows, so that their undirected keys begin alike."""
    server = (0x20010db800000000, 1)
    def end(): return random.getrandbits(64) | 1 << 62, random.getrandbits(64)
    return steadily(tcp6(end(), server if attack else end(), i & 0xffff, 443, 1000) for i in range(n))


# ---- the life of flows

SOURCES = 5_000


@pattern('flows of one key', ['--biflow'])
def flows_of_one_key(n, attack, random):
    """Each packet a SYN with another number, which ends a flow; in the twin, one of many keys."""
    syn = Tcp4(flags=SYN)
    return steadily(syn(source=0x0a000000 if attack else 0x0a000000 + random.randrange(SOURCES), seq=3_000_000 * i,
                        id=i & 0xffff) for i in range(n))


@pattern('new connections')
def new_connections(n, attack, random):
    """Each packet a SYN with another number, which ends a flow."""
    syn = Tcp4(flags=SYN)
    return steadily(syn(source=0x0a000000 if attack else 0x0a000000 + random.randrange(SOURCES), seq=100_000 * i,
                        id=i & 0xffff) for i in range(n))


@pattern('port reuse')
def port_reuse(n, attack, random):
    packet = Tcp4()
    def frames():
        for i in range(n // 3):
            source = 0x0a000000 if attack else 0x0a000000 + random.randrange(SOURCES)
            for k, flags in enumerate((SYN, FIN | ACK, RST)):
                yield packet(source=source, seq=7_000_000 * i + k, flags=flags, id=i & 0xffff)
    return steadily(frames())


@pattern('time forward')
def time_forward(n, attack, random):
    """Idle before each packet."""
    packet = Tcp4()
    return steadily((packet(source=0x0a000000 if attack else 0x0a000000 + random.randrange(SOURCES), seq=i)
                     for i in range(n)), IDLE)


@pattern('time to and fro')
def time_to_and_fro(n, attack, random):
    """Idle before every second packet, for the trace before all of them."""
    packet, times = Tcp4(), itertools.cycle((0, IDLE))
    flows = 1000
    return ((next(times) if attack else random.randrange(IDLE // 2), packet(source=0x0a000000 + i // 2 % flows, seq=i))
            for i in range(n))


@pattern('time back')
def time_back(n, attack, random):
    packet = Tcp4()
    return (((n - i) * MICROSECOND if attack else random.randrange(n) * MICROSECOND, packet(seq=i)) for i in range(n))


@pattern('idle one by one', ['--memory', '64M'], packets=0.25)
def idle_one_by_one(n, attack, random):
    """A full shard, of whose flows each new one makes one other idle."""
    syn = Tcp4(flags=SYN)
    apart = (IDLE - SECOND) // (shards.room_of_one(64 << 20) - 1)
    return ((i * apart if attack else random.randrange(n) * apart, syn(source=source, source_port=port))
            for i, (source, port) in enumerate(shards.in_one(n)))


@pattern('evicted and back', ['--memory', '16M'])
def evicted_and_back(n, attack, random):
    """More flows in turn than a shard has room for; of the twin, than all shards have."""
    flows = shards.room_of_one(16 << 20) * 5 // 4
    return of_flows(n, some_ends(flows if attack else 64 * flows, attack, random))


# ---- sequence numbers

def of_one_flow(numbers, payload=1):
    segment = Tcp4(payload=payload)
    return steadily(segment(seq=number, id=i & 0xffff) for i, number in enumerate(numbers))


def half_lost(n, random): return [i for i in range(2 * n) if random.getrandbits(1)][:n]


def reordered(n, random, reach=500):
    """Each at most so far from its place, as much of them lost."""
    return sorted(half_lost(n, random), key=lambda number: number + random.randrange(2 * reach))


@pattern('holes upwards')
def holes_upwards(n, attack, random): return of_one_flow(range(0, 2 * n, 2) if attack else reordered(n, random))


@pattern('holes downwards')
def holes_downwards(n, attack, random):
    return of_one_flow(range(2 * n, 0, -2) if attack else reordered(n, random)[::-1])


@pattern('holes at random')
def holes_at_random(n, attack, random):
    if not attack: return of_one_flow(reordered(n, random))
    numbers = list(range(0, 2 * n, 2))
    random.shuffle(numbers)
    return of_one_flow(numbers)


@pattern('holes beyond the limit', packets=4)
def holes_beyond_the_limit(n, attack, random):
    """Each later segment drops a hole."""
    return of_one_flow(range(0, 2 * n, 2) if attack else reordered(n, random))


@pattern('holes of many flows')
def holes_of_many_flows(n, attack, random):
    """As many as an array takes at most, filled and torn open from below."""
    segment, flows, holes = Tcp4(payload=1), max(1, n // 1000), 128
    random_order = reordered(n // flows + 1, random)
    def frames():
        for i in range(n):
            of_flow, flow = i // flows, i % flows
            number = random_order[of_flow] if not attack else 2 * of_flow if of_flow < holes else 2 * (holes - of_flow)
            yield segment(source=0x0a000000 + flow, seq=number + 1_000_000, id=of_flow & 0xffff)
    return steadily(frames())


@pattern('resent over holes')
def resent_over_holes(n, attack, random):
    """700 holes, then one segment over all of them."""
    segment = Tcp4()
    def frames():
        for i in range(n):
            round, k = divmod(i, 701)
            payload = 1 if k < 700 else 1400
            start = 1500 * round + (2 * k if k < 700 else 0) if attack else 1500 * round + random.randrange(1500)
            yield segment(seq=start, payload=payload, id=i & 0xffff)
    return steadily(frames())


@pattern('keep-alives')
def keep_alives(n, attack, random): return of_one_flow(itertools.repeat(0, n) if attack else reordered(n, random))


@pattern('half the number space')
def half_the_number_space(n, attack, random):
    return of_one_flow(i << 31 if attack else random.getrandbits(32) for i in range(n))


@pattern('strides')
def strides(n, attack, random):
    """Numbers that differ in their high bits alone, of many flows."""
    segment = Tcp4(payload=100)
    return steadily(segment(source_port=i & 0xff, seq=i >> 8 << 20 if attack else random.getrandbits(32), id=i & 0xffff)
                    for i in range(n))


@pattern('zero windows')
def zero_windows(n, attack, random):
    packet = Tcp4()
    return steadily(packet(seq=i, window=0 if attack else random.getrandbits(16), id=i & 0xffff) for i in range(n))


# ---- identities

@pattern('identical packets')
def identical_packets(n, attack, random):
    packet = Tcp4()
    return steadily(packet(checksum=0 if attack else random.getrandbits(16), id=1 if attack else i & 0xffff)
                    for i in range(n))


@pattern('all but the window')
def all_but_the_window(n, attack, random):
    packet = Tcp4()
    return steadily(packet(window=i & 0xffff, ack=1 if attack else random.getrandbits(32)) for i in range(n))


@pattern('id against length')
def id_against_length(n, attack, random):
    """What a hash that takes both to one word would cancel out."""
    packet = Tcp4()
    return steadily(packet(id=i % 250, payload=i % 250 << 8, window=i // 250 & 0xffff,
                           ack=1 if attack else random.getrandbits(32)) for i in range(n))


@pattern('fragments')
def fragments(n, attack, random):
    return steadily(ip4(0x0a000001, 0xc0000201, 17, b'\x00' * 16, 1 if attack else random.getrandbits(16),
                        i % 8191 + 1 if attack else random.randrange(1, 8192)) for i in range(n))


@pattern('eight tunnels', ['--decapsulate'])
def eight_tunnels(n, attack, random):
    """Within each other; those of the twin end at any depth, in as many bytes."""
    inner = struct.pack('>HHHH', 1000, 53, 8, 0)
    for depth in range(8):
        inner = struct.pack('>BBHHHBBHII', 0x45, 0, 20 + len(inner), 1, 0, 64, 4 if depth else 17, 0, depth, 9) + inner
    def frames():
        for i in range(n):
            depth = 8 if attack else random.randrange(9)
            yield ip4(random.getrandbits(8), 0xc0000201, 4 if depth else 17, with_depth(inner, depth), i & 0xffff)
    return steadily(frames())


def with_depth(packet, depth):
    """The protocol of the header so deep becomes UDP."""
    at = 20 * (depth - 1) + 9
    return packet if depth in (0, 8) else packet[:at] + b'\x11' + packet[at + 1:]
