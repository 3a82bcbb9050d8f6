"""Parquet files of a few hundred bytes, written field by field: no library writes them as small, or as odd."""

import struct

# Types of values, repetitions, and what values mean.
INT32, INT64, INT96, FLOAT, DOUBLE, BYTES, FIXED = 1, 2, 3, 4, 5, 6, 7
REQUIRED, OPTIONAL = 0, 1
UTF8, DECIMAL, MILLIS, MICROS, UINT32 = 0, 5, 9, 10, 13
PLAIN, RLE, RLE_DICTIONARY = 0, 3, 8
DATA_PAGE, DICTIONARY_PAGE = 0, 2


# --- Thrift's compact protocol ---

def varint(value):
    data = b''
    while value > 127: data, value = data + bytes([value & 127 | 128]), value >> 7
    return data + bytes([value])


class Int(int): kind = 5
class Long(int): kind = 6


def written(value):
    """Its kind, and its bytes."""
    if isinstance(value, int): return value.kind, varint(value << 1 ^ value >> 63)
    if isinstance(value, bytes): return 8, varint(len(value)) + value
    if isinstance(value, dict):
        data, last = b'', 0
        for number, one in value.items():
            kind, body = written(one)
            data, last = data + bytes([number - last << 4 | kind]) + body, number
        return 12, data + b'\0'
    items = [written(one) for one in value]
    kind, few = items[0][0], len(items) < 15
    head = bytes([len(items) << 4 | kind]) if few else bytes([0xf0 | kind]) + varint(len(items))
    return 9, head + b''.join(body for _, body in items)


# --- columns ---

FORMS = {INT32: '<i', INT64: '<q', FLOAT: '<f', DOUBLE: '<d'}


def plain(kind, value):
    if kind in FORMS: return struct.pack(FORMS[kind], value)
    return (struct.pack('<I', len(value)) if kind == BYTES else b'') + value


def runs(values, bits):
    """As runs of one value each."""
    return b''.join(varint(2) + value.to_bytes((bits + 7) // 8, 'little') for value in values)


def page(kind, count, encoding, body):
    about = {1: Int(count), 2: Int(encoding)}
    if kind == DATA_PAGE: about |= {3: Int(RLE), 4: Int(RLE)}
    header = {1: Int(kind), 2: Int(len(body)), 3: Int(len(body)), 5 if kind == DATA_PAGE else 7: about}
    return written(header)[1] + body


class Column:
    """values: None where there is none. dictionary: they are numbers of values that stand before them."""

    def __init__(self, name, kind, values, repetition=REQUIRED, length=None, meaning=None, scale=None,
                 dictionary=False):
        self.name, self.kind, self.values, self.repetition = name.encode(), kind, values, repetition
        self.length, self.meaning, self.scale, self.dictionary = length, meaning, scale, dictionary

    def schema(self):
        fields = {1: Int(self.kind), 2: self.length, 3: Int(self.repetition), 4: self.name, 6: self.meaning,
                  7: self.scale, 8: None if self.scale is None else 18}
        return {n: one if isinstance(one, bytes) else Int(one) for n, one in fields.items() if one is not None}

    def chunk(self, at):
        """Its bytes, and what the footer says of it."""
        there = [value for value in self.values if value is not None]
        levels = runs([int(value is not None) for value in self.values], 1)
        body = struct.pack('<I', len(levels)) + levels if self.repetition == OPTIONAL else b''
        data, about = b'', {}
        if self.dictionary:
            different = sorted(set(there))
            data = page(DICTIONARY_PAGE, len(different), PLAIN, b''.join(plain(self.kind, one) for one in different))
            about = {11: Long(at)}
            body += bytes([8]) + runs([different.index(value) for value in there], 8)
        else: body += b''.join(plain(self.kind, value) for value in there)
        encoding = RLE_DICTIONARY if self.dictionary else PLAIN
        begin = at + len(data)
        data += page(DATA_PAGE, len(self.values), encoding, body)
        return data, {1: Int(self.kind), 2: [Int(encoding)], 3: [self.name], 4: Int(0), 5: Long(len(self.values)),
                      6: Long(len(data)), 7: Long(len(data)), 9: Long(begin)} | about


def file_of(*groups):
    """An input of the target: each group is a list of columns."""
    content, told = b'', []
    for columns in groups:
        chunks = []
        for column in columns:
            data, about = column.chunk(4 + len(content))
            chunks.append({2: Long(4 + len(content)), 3: about})
            content += data
        told.append({1: chunks, 2: Long(len(content)), 3: Long(len(columns[0].values))})
    schema = [{4: b's', 5: Int(len(groups[0]))}] + [column.schema() for column in groups[0]]
    rows = sum(group[3] for group in told)
    footer = written({1: Int(2), 2: schema, 3: Long(rows), 4: told})[1]
    return struct.pack('<H', len(footer)) + content + footer


# --- Flow Records ---

def key(rows, addresses=(b'10.0.0.1', b'10.0.0.2'), **how):
    how = {'meaning': UTF8, **how}
    ends = zip(('src_addr', 'dst_addr'), addresses)
    return [Column(name, BYTES, rows * [address], **how) for name, address in ends] + [
        Column('protocol', INT32, rows * [6])]


RAW = [Column(name, FIXED, [address], length=4) for name, address in
       (('src_addr', b'\x0a\0\0\1'), ('dst_addr', b'\x0a\0\0\2'))]
LONG = [Column(name, FIXED, [bytes(length)], length=length) for name, length in (('src_addr', 900), ('dst_addr', 16))]
MAPPED = [Column(name, FIXED, [bytes(10) + b'\xff\xff\x0a\0\0\1'], length=16) for name in ('src_addr', 'dst_addr')]
PROTOCOL = [Column('protocol', INT32, [6])]
PARQUETS = {
    'few': file_of(key(2)), 'many': file_of(key(60)), 'groups': file_of(key(1), key(2)), 'raw': file_of(RAW + PROTOCOL),
    'mapped': file_of(MAPPED + PROTOCOL), 'long': file_of(LONG + PROTOCOL),
    'dictionary': file_of(key(5, dictionary=True)),
    'six': file_of(key(1, (b'2001:db8::1', b'::1'), dictionary=True)),
    'optional': file_of(key(3) + [Column('packets', INT64, [1, None, 3], OPTIONAL),
                                  Column('tcp_flags', INT32, [None, 24, None], OPTIONAL, dictionary=True)]),
    'numbers': file_of(key(2) + [Column('packets', DOUBLE, [3.0, float('nan')]), Column('bytes', FLOAT, [5.0, 6.0]),
                                 Column('src_port', INT32, [-1, 70000], meaning=UINT32)]),
    'decimals': file_of(key(1) + [Column('bytes', FIXED, [b'\0\5'], length=2, meaning=DECIMAL, scale=0),
                                  Column('packets', BYTES, [b'\x7f'], meaning=DECIMAL, scale=0)]),
    'times': file_of(key(1) + [Column('start_ns', INT96, [struct.pack('<qI', 43200 * 10**9, 2440588)]),
                               Column('end_ns', INT64, [1700000000000], meaning=MILLIS)]),
    'microseconds': file_of(key(1) + [Column('start_us', INT64, [5]), Column('end_us', DOUBLE, [7.0]),
                                      Column('connection_us', INT64, [1 << 62])]),
    'biflow': file_of(key(2) + [Column('reverse_start_ns', INT64, [5, None], OPTIONAL),
                                Column('reverse_packets', INT64, [7, None], OPTIONAL)]),
}
