"""The attacks on streams, and of each the random twin (patterns.py); and captures that make memory be held."""
import itertools

from packets import ACK, FIN, SYN, Tcp4
from patterns import MICROSECOND, SECOND, pattern, reordered, steadily

BLOCK = 16 << 10
COPIED, SPANS = ('reassemble',), ('spans',)  # methods: bytes are copied, or point into frames while these stay
TO_SERVER = Tcp4()
TO_CLIENT = Tcp4(source=0xc0000201, destination=0x0a000001, source_port=443, destination_port=40000)


def of_connection(segment, number, **fields):
    """The client's port, and where these are all taken its address, tell them apart."""
    address, port = 0x0a000001 + number // 50_000, 1024 + number % 50_000
    if segment is TO_SERVER: return segment(source=address, source_port=port, **fields)
    return segment(destination=address, destination_port=port, **fields)


def in_order(n, connections, random, length=1):
    """Segments of connections in turn, at random."""
    ends = [1000] * connections
    for i in range(connections): yield of_connection(TO_SERVER, i, seq=999, flags=SYN)
    for i in range(n - connections):
        which = random.randrange(connections)
        yield of_connection(TO_SERVER, which, seq=ends[which], data=b'x' * length, id=i & 0xffff)
        ends[which] += length


def behind_a_fin(n, attack, random):
    """The server's FIN waits behind a hole, before which its bytes come in reverse, one by one; no SYN told where it
    began, and a gap of the client stands before all of it."""
    last, in_one = 1_000_000_000, BLOCK - 3
    def frames():
        for number in itertools.count():
            yield of_connection(TO_SERVER, number, seq=999, flags=SYN)
            yield of_connection(TO_SERVER, number, seq=1005, data=b'x')
            yield of_connection(TO_CLIENT, number, seq=last - 2, data=b'x')
            yield of_connection(TO_CLIENT, number, seq=last, flags=ACK | FIN)
            for i in range(in_one):
                yield of_connection(TO_CLIENT, number, seq=last - 3 - i, data=b'x', id=i)
    if attack: return steadily(itertools.islice(frames(), n))
    return steadily(in_order(n, n // in_one + 1, random))


pattern('behind a fin', methods=COPIED)(behind_a_fin)
pattern('behind a fin, 256K', ['--block-size', str(256 << 10)], methods=COPIED)(behind_a_fin)


def repeated(n, attack, random, connections, apart=False, length=1400):
    """Runs of one byte that wait, and segments over 1400 of them, again and again. `apart`: those of the other
    direction lie between them."""
    runs = BLOCK // 2 - 2 if apart else BLOCK - 2
    runs = min(runs, n // 2 // connections)
    def frames():
        for i in range(connections): yield of_connection(TO_SERVER, i, seq=999, flags=SYN)
        for k in range(runs // 2 if apart else runs):
            for i in range(connections):
                if not attack: seq = 1000 + k
                elif apart: seq = 1001 + k
                else: seq = 1000 + runs + 1 - k
                yield of_connection(TO_SERVER, i, seq=seq, data=b'x', id=k)
                if apart: yield of_connection(TO_CLIENT, i, seq=1001 + k, data=b'x', id=k)
        left, ends = max(n - connections * (runs + 1), 0), [1000 + runs] * connections
        for k in range(left):
            i = k % connections
            seq = 1003 + k * 37 % max(runs // (2 if apart else 1) - length - 4, 1) if attack else ends[i]
            yield of_connection(TO_SERVER, i, seq=seq, data=b'x' * length, id=k & 0xffff)
            ends[i] += length
    return steadily(frames())


@pattern('repeated runs', packets=0.5, methods=COPIED)
def repeated_runs(n, attack, random): return repeated(n, attack, random, 1)


@pattern('repeated runs of many', methods=COPIED)
def repeated_runs_of_many(n, attack, random): return repeated(n, attack, random, max(1, n // 25_000))


@pattern('repeated runs, apart', packets=0.5, methods=COPIED)
def repeated_runs_apart(n, attack, random): return repeated(n, attack, random, 1, apart=True)


@pattern('late over gaps', packets=0.5, methods=COPIED)
def late_over_gaps(n, attack, random):
    """Gaps of one byte that were given up, and segments over 700 of them."""
    gaps, length = min(20_000, n // 2), 1400
    def frames():
        yield TO_SERVER(seq=999, flags=SYN)
        for i in range(gaps): yield TO_SERVER(seq=1001 + 2 * i if attack else 1000 + i, data=b'x', id=i & 0xffff)
        for i in range(n - gaps):
            seq = 1000 + i * 61 % max(2 * gaps - 2 * BLOCK - length, 1) if attack else 1000 + gaps + length * i
            yield TO_SERVER(seq=seq, data=b'x' * length, id=i & 0xffff)
    return steadily(frames())


@pattern('frames that go', methods=SPANS)
def frames_that_go(n, attack, random):
    """Connections of which many runs wait, and one more between these whenever frames go; of the twin the bytes come
    out of order, and half of them are lost."""
    connections = max(1, n // 16_000)
    runs = min(BLOCK // 2, n // 2 // connections)
    def at_random():
        numbers = [reordered(n // connections, random) for _ in range(connections)]
        for k in range(n):
            i = k % connections
            number = numbers[i][k // connections % len(numbers[i])]
            yield of_connection(TO_SERVER, i, seq=1000 + number, data=b'x', id=k & 0xffff)
    if not attack: return steadily(at_random())
    def frames():
        for i in range(connections): yield of_connection(TO_SERVER, i, seq=999, flags=SYN)
        for k in range(runs):
            for i in range(connections):
                yield of_connection(TO_SERVER, i, seq=1000 + 2 * (runs - k), data=b'x', id=k)
        for k in range(n - connections * (runs + 1)):
            seq = 1000 + 2 * runs - 1 - 2 * (k // connections)
            yield of_connection(TO_SERVER, k % connections, seq=seq, data=b'x', id=k & 0xffff)
    return steadily(frames())


# ---- memory: what one kind of traffic has taken, another one needs

def tiny_runs(n):
    """In every second place, so that no two of them are one."""
    in_one = BLOCK - 2
    for i in range(n):
        number, k = divmod(i, in_one + 1)
        if k == 0: yield i * MICROSECOND, of_connection(TO_SERVER, number, seq=999, flags=SYN)
        else: yield i * MICROSECOND, of_connection(TO_SERVER, number, seq=1000 + 2 * k, data=b'x', id=k)


def small_pieces(connections, pieces=500, length=32):
    """Blocks of many pieces, by three connections in turn: with gaps, with bytes that come between others, and of both
    directions in turn, of which the first bytes come last."""
    def frames():
        for i in range(0, connections, 3):
            for number in range(i, i + 3): yield of_connection(TO_SERVER, number, seq=999, flags=SYN)
            for k in range(pieces):
                yield of_connection(TO_SERVER, i, seq=1000 + 2 * length * (k + 1), data=b'x' * length, id=k)
            for k in itertools.chain(range(1, pieces, 2), range(2, pieces, 2), range(1)):
                yield of_connection(TO_SERVER, i + 1, seq=1000 + length * k, data=b'x' * length, id=k)
            for k in range(pieces):
                segment = TO_CLIENT if k % 2 else TO_SERVER
                yield of_connection(segment, i + 2, seq=1000 + length * (k // 2), data=b'x' * length, id=k)
            yield of_connection(TO_CLIENT, i + 2, seq=1000 - length, data=b'x' * length)
    return steadily(frames())


def sizes_in_turn(connections):
    """As many connections with 1, 1,000, 6,000 and 16,000 bytes each, one kind after the other has ended."""
    time = 0
    for kind, size in enumerate((1, 1000, 6000, 16000)):
        for i in range(connections):
            for at in range(0, size, 1400):
                data = b'x' * min(1400, size - at)
                yield time, of_connection(TO_SERVER, (kind << 22) + i, seq=1000 + at, data=data, id=i & 0xffff)
                time += MICROSECOND
        time += 300 * SECOND


def few_that_stay(connections):
    """As many connections with 100 bytes, half with 1,500, and so on, of which few go on: in each slab one."""
    time, going_on = 0, []
    for kind, (size, every) in enumerate(((100, 40), (1500, 10), (6000, 2), (16000, 1))):
        count = max(connections >> kind, 8)
        for i in range(count):
            for at in range(0, size, 1400):
                data = b'x' * min(1400, size - at)
                yield time, of_connection(TO_SERVER, (kind << 22) + i, seq=1000 + at, data=data, id=i & 0xffff)
                time += MICROSECOND
            if i % every == 0: going_on.append([(kind << 22) + i, 1000 + size])
            if i % (count // 8) != count // 8 - 1: continue
            for one in going_on:
                yield time, of_connection(TO_SERVER, one[0], seq=one[1], data=b'x')
                time += MICROSECOND
                one[1] += 1


def many_connections(n, connections):
    for i in range(n):
        turn, which = divmod(i, connections)
        yield i * MICROSECOND, of_connection(TO_SERVER, which, seq=1000 + 100 * turn, data=b'x' * 100, id=i & 0xffff)


def memory_captures(n):
    """-> (name, packets) of each, which are read one after the other."""
    return (('runs', tiny_runs(n)), ('pieces', small_pieces(max(n // 500, 1000))),
            ('sizes', sizes_in_turn(n * 3 // 100)), ('stay', few_that_stay(n * 3 // 200)),
            ('many', many_connections(n, n // 2)))
