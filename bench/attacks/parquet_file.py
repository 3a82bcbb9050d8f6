"""Parquet files, written byte by byte: pages that unpack to far more than they take, and footers that say anything.

A column is a name, a type and its pages; a file has the same columns in each of its row groups. What repeats one byte
is a Zstandard frame of run-length blocks, 4 bytes for 128 KiB, whose bytes nobody has to make first."""
import struct
from collections import namedtuple

INT64, TEXT = 2, 6                      # physical types
PLAIN, RUNS, DICTIONARY = 0, 3, 8       # encodings
ZSTD = 6
BLOCK = 1 << 17                         # the most that one block of a frame unpacks to

Page = namedtuple('Page', 'values size packed encoding')    # without an encoding, a dictionary
Column = namedtuple('Column', 'name type pages')


# ---- Zstandard

def frame(head, count, byte=b'\0'):
    """That unpacks to `head` and then `count` times a byte."""
    out = struct.pack('<IBQ', 0xFD2FB528, 0xE0, len(head) + count)      # one segment, of a size in 8 bytes
    blocks = [(0, len(head), head)] if head else []
    while count > 0:
        blocks.append((1, min(count, BLOCK), byte))
        count -= BLOCK
    last = len(blocks) - 1
    for i, (kind, size, content) in enumerate(blocks):
        out += struct.pack('<I', size << 3 | kind << 1 | (i == last))[:3] + content
    return out


# ---- Thrift's compact protocol

def varint(number):
    out = bytearray()
    while number > 0x7f:
        out.append(number & 0x7f | 0x80)
        number >>= 7
    return bytes(out) + bytes([number])


class Whole(int):
    """i32 or i64, which look alike but in lists and the headers of fields."""
    kind = 5

    def encoded(self): return varint(2 * self if self >= 0 else -2 * self - 1)


class Long(Whole): kind = 6


class Text(bytes):
    kind = 8

    def encoded(self): return varint(len(self)) + self


class List(list):
    """`said`: the number of entries that it says it has."""
    kind = 9

    def __init__(self, entries, said=None):
        super().__init__(entries)
        self.said = len(self) if said is None else said

    def encoded(self):
        head = bytes([0xF0 | (self[0].kind if self else Struct.kind)]) + varint(self.said)
        return head + b''.join(entry.encoded() for entry in self)


class Struct(dict):
    """Values by the numbers of their fields."""
    kind = 12

    def encoded(self):
        out, last = b'', 0
        for number, value in sorted(self.items()):
            out += bytes([(number - last) << 4 | value.kind]) + value.encoded()
            last = number
        return out + b'\0'


# ---- Parquet

def data_page(values, head, count=0, byte=b'\0', encoding=PLAIN):
    """Of so many values, that unpacks to `head` and `count` times a byte."""
    return Page(values, len(head) + count, frame(head, count, byte), encoding)


def text(value): return struct.pack('<I', len(value)) + value


def same(value, values):
    """The pages of that value, so many times: a dictionary of it, and one run of its number, which has one bit."""
    run = b'\1' + varint(values << 1) + b'\0'
    return [Page(1, len(value), frame(value, 0), None), data_page(values, run, encoding=DICTIONARY)]


def page_bytes(page):
    of_dictionary = page.encoding is None
    header = Struct({1: Whole(2 if of_dictionary else 0), 2: Whole(page.size), 3: Whole(len(page.packed))})
    if of_dictionary: header[7] = Struct({1: Whole(page.values), 2: Whole(PLAIN)})
    else: header[5] = Struct({1: Whole(page.values), 2: Whole(page.encoding), 3: Whole(RUNS), 4: Whole(RUNS)})
    return header.encoded() + page.packed


def chunk(column, rows, at):
    """-> its bytes, and what the footer says of them."""
    pages = [page_bytes(page) for page in column.pages]
    size, packed = sum(page.size for page in column.pages), sum(map(len, pages))
    encodings = List([Whole(PLAIN), Whole(RUNS), Whole(DICTIONARY)])
    said = Struct({1: Whole(column.type), 2: encodings, 3: List([Text(column.name)]), 4: Whole(ZSTD),
                   5: Long(rows), 6: Long(size), 7: Long(packed), 9: Long(at)})
    if column.pages[0].encoding is None: said.update({9: Long(at + len(pages[0])), 11: Long(at)})
    return b''.join(pages), Struct({2: Long(at), 3: said})


def schema(columns):
    return List([Struct({4: Text(b'schema'), 5: Whole(len(columns))})] +
                [Struct({1: Whole(column.type), 3: Whole(0), 4: Text(column.name)}) for column in columns])


def footer(columns, rows, groups):
    said = Struct({1: Whole(2), 2: schema(columns), 3: Long(rows), 4: groups}).encoded()
    return said + struct.pack('<I', len(said)) + b'PAR1'


def write(path, columns, rows, groups=1):
    """The row groups are the same, and so are their pages."""
    said, at = [], 4
    with open(path, 'wb') as file:
        file.write(b'PAR1')
        for _ in range(groups):
            chunks = []
            for column in columns:
                data, of_chunk = chunk(column, rows, at)
                file.write(data)
                at += len(data)
                chunks.append(of_chunk)
            said.append(Struct({1: List(chunks), 2: Long(at), 3: Long(rows)}))
        file.write(footer(columns, rows * groups, List(said)))
