#!/usr/bin/env python3
"""Reads segment files by docs/segment-files.md alone, sharing no code with the program.

    read_segments.py FILE...            prints all segments, in the order of their frames, one a line
    read_segments.py --flows FILE...    prints what each Flow Key has, as lines of CSV

Every checksum is looked at, and which file each Flow Key belongs to. Exit status 77 without libzstd or libxxhash.
"""
import ctypes, ipaddress, itertools, json, struct, sys

try:
    ZSTD, XXHASH = ctypes.CDLL('libzstd.so.1'), ctypes.CDLL('libxxhash.so.0')
    XXHASH.XXH3_64bits_withSeed.restype = ctypes.c_uint64
    XXHASH.XXH3_64bits_withSeed.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64]
    ZSTD.ZSTD_decompress.restype = ctypes.c_size_t
    ZSTD.ZSTD_decompress.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
except (OSError, AttributeError) as missing:
    print(missing)
    sys.exit(77)

TCP, IDENTITY = 1, 2  # kind
SYN, FIN = 2, 1       # flags
MASK = {8: 0xff, 16: 0xffff, 32: 0xffffffff, 64: 0xffffffffffffffff}
TCP_COLUMNS = (('sequence', 4), ('acknowledgement', 4), ('length', 4), ('ip_headers', 4), ('window', 2), ('id', 2),
               ('flags', 1), ('offset', 1), ('checksum', 2), ('urgent', 2), ('options', 1))
OTHER_COLUMNS = (('identity_a', 8), ('identity_b', 4), ('sequence', 4), ('length', 4), ('payload_length', 4),
                 ('window', 2), ('flags', 1))


def xxh3(data, seed=0): return XXHASH.XXH3_64bits_withSeed(data, len(data), seed)


def unpacked(data, size):
    room = ctypes.create_string_buffer(size)
    assert ZSTD.ZSTD_decompress(room, size, data, len(data)) == size
    return room.raw


def from_zigzag(number, bits): return (number >> 1 ^ -(number & 1)) & MASK[bits]


class Planes:
    """The columns of a block."""

    def __init__(self, payload):
        joined, packed = struct.unpack_from('<II', payload)
        self.rest = memoryview(payload)[8:]
        self.joined = memoryview(unpacked(bytes(self.take(packed)), joined) if packed else bytes(self.take(joined)))

    def take(self, size):
        taken, self.rest = self.rest[:size], self.rest[size:]
        assert len(taken) == size
        return taken

    def take_joined(self, size):
        taken, self.joined = self.joined[:size], self.joined[size:]
        assert len(taken) == size
        return taken

    def take_size(self): return struct.unpack('<I', self.take(4))[0]

    def plane(self, count):
        form = self.take(1)[0]
        if form == 0: return bytes(self.take(1)) * count
        if form == 1: return bytes(self.take(count))
        if form == 2: return unpacked(bytes(self.take(self.take_size())), count)
        if form == 3: return bytes(self.take_joined(count))
        assert form == 4
        plane, pairs = bytearray(), bytes(self.take_joined(self.take_size()))
        for zeros, value in zip(pairs[::2], pairs[1::2]):
            plane += bytes(zeros) if (zeros, value) == (255, 0) else bytes(zeros) + bytes((value,))
        return bytes(plane) + bytes(count - len(plane))

    def column(self, count, size):
        if count == 0: return []
        planes = [self.plane(count) for _ in range(size)]
        return [int.from_bytes(value, 'little') for value in zip(*planes)]

    def columns(self, count, names): return {name: self.column(count, size) for name, size in names}


def shard_of(key):
    high, low, to_high, to_low = struct.unpack_from('<QQQQ', key, 1)
    source_port, destination_port, rest = struct.unpack('<HHI', key[33:40] + key[:1])
    if key[37] in (1, 58): destination_port = 0
    odd, start = 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93 + rest
    source = high + low * odd + (source_port << 32) + start & MASK[64]
    destination = to_high + to_low * odd + (destination_port << 32) + start & MASK[64]
    product = source * destination
    return ((product ^ product >> 64) & MASK[64]) >> 32 & 63


def back(key): return key[:1] + key[17:33] + key[1:17] + key[35:37] + key[33:35] + key[37:]


def segments_of(header, payload):
    """Of a block: (frame of the row, key, segment) for each segment."""
    _, _, first_ns, segments, first, following, conversations, unit, nothing, _ = header
    assert nothing == 0 and unit in (1, 1000, 1000000)
    planes = Planes(payload)
    words = [planes.column(conversations, 8) for _ in range(5)]
    keys = []
    for key in zip(*words):
        key = struct.pack('<5Q', *key)
        keys += [key, back(key)]
    frame, time = planes.column(segments, 4), planes.column(segments, 8)
    flow, kind = planes.column(segments, 4), planes.column(segments, 1)
    tcp = [planes.columns(first, TCP_COLUMNS), planes.columns(following, TCP_COLUMNS)]
    other = planes.columns(segments - first - following, OTHER_COLUMNS)
    assert not planes.rest and not planes.joined
    read = [0, 0, 0]
    kinds = [TCP | IDENTITY] * len(keys)
    foretold = [None] * len(keys)
    at, now = -1, first_ns & MASK[64]
    for i in range(segments):
        at += frame[i] + 1 & 0xffffffff          # all ones: the frame of the segment before
        now = now + from_zigzag(time[i], 64) * unit & MASK[64]
        number = flow[i]
        kinds[number] ^= kind[i] & 7             # 8: behind another packet of its frame
        s = {'time_ns': now - (1 << 64 if now >> 63 else 0), 'kind': kinds[number]}
        if s['kind'] & TCP:
            which = 0 if foretold[number] is None else 1
            columns, was = tcp[which], foretold[number] or dict.fromkeys(name for name, _ in TCP_COLUMNS[:8])
            j, read[which] = read[which], read[which] + 1
            for name, bits in (('sequence', 32), ('acknowledgement', 32), ('length', 32), ('window', 16), ('id', 16)):
                s[name] = from_zigzag(columns[name][j], bits) + (was[name] or 0) & MASK[bits]
            for name in ('ip_headers', 'flags', 'offset'): s[name] = columns[name][j] ^ (was[name] or 0)
            for name in ('checksum', 'urgent', 'options'): s[name] = columns[name][j]
            s['payload_length'] = s['length'] - (s['offset'] >> 4) * 4 - s['ip_headers'] & MASK[32]
            numbers = s['payload_length'] + bool(s['flags'] & SYN) + bool(s['flags'] & FIN)
            foretold[number] = dict(s, sequence=s['sequence'] + numbers & MASK[32])
        else:
            j, read[2] = read[2], read[2] + 1
            for name, _ in OTHER_COLUMNS: s[name] = other[name][j]
        yield at, keys[number], s
    assert read == [first, following, segments - first - following]


def read_file(path):
    """The facts of the set, and (frame, key, segment) of all segments."""
    data = open(path, 'rb').read()
    magic, version, partition, partitions, row_frames = struct.unpack_from('<8sHBBI', data)
    assert (magic, version) == (b'WMSEG\r\n\x1a', 2)
    trailer = struct.unpack_from('<QQQQQ8s', data, len(data) - 48)
    blocks, segments, blocks_checksum, facts_bytes, checksum, magic = trailer
    assert magic == b'WMSEND\r\n'
    end = len(data) - 48 - facts_bytes
    facts = data[end:-48]
    assert checksum == xxh3(facts, xxh3(data[-48:-16] + bytes(8) + data[-8:], xxh3(data[:16])))
    at, row, chained, found = 16, -1, 0, []
    while at < end:
        header = struct.unpack_from('<QQqIIIIIIQ', data, at)
        payload = data[at + 56:at + 56 + header[0]]
        assert header[-1] == xxh3(payload, xxh3(data[at:at + 48] + bytes(8))), 'checksum of a block'
        assert header[1] > row and header[3] > 0
        chained = xxh3(data[at + 48:at + 56], chained)
        at, row, blocks = at + 56 + header[0], header[1], blocks - 1
        for frame, key, segment in segments_of(header, payload):
            assert frame < row_frames and shard_of(key) * partitions >> 6 == partition
            found.append((row * row_frames + frame, key, segment))
    assert at == end and blocks == 0 and len(found) == segments and chained == blocks_checksum
    return facts, found


def key_text(key):
    address = lambda raw: str(ipaddress.ip_address(raw[:4] if key[0] == 4 else raw))
    ports = struct.unpack_from('>HH', key, 33)
    return ','.join(map(str, (address(key[1:17]), address(key[17:33]), *ports, key[37])))


def print_segments(found):
    for frame, key, s in found:
        rest = [f'{name}={s[name]}' for name in s if name not in ('time_ns', 'ip_headers')]
        print(frame + 1, s['time_ns'], key_text(key), *rest)


def print_flows(found):
    flows = {}
    for _, key, s in found:
        flow = flows.setdefault(key, [s['time_ns'], s['time_ns'], 0, 0, 0])
        flow[0], flow[1] = min(flow[0], s['time_ns']), max(flow[1], s['time_ns'])
        flow[2], flow[3] = flow[2] + 1, flow[3] + s['length']
        if s['kind'] & TCP: flow[4] |= s['flags']
    print('src_addr,dst_addr,src_port,dst_port,protocol,start_ns,end_ns,packets,bytes,tcp_flags')
    for key in sorted(flows): print(key_text(key), *flows[key][:4], flows[key][4] if key[37] == 6 else '', sep=',')


flows, paths = sys.argv[1] == '--flows', [a for a in sys.argv[1:] if a != '--flows']
files = [read_file(path) for path in paths]
assert len({facts for facts, _ in files}) == 1, 'files of different sets'
found = sorted(itertools.chain(*(segments for _, segments in files)), key=lambda segment: segment[0])
facts = json.loads(files[0][0])
assert not found or found[-1][0] < facts['counters']['frames']
assert not found or max(s['time_ns'] for _, _, s in found) <= facts['latest_segment_ns']
(print_flows if flows else print_segments)(found)
