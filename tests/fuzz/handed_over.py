"""Seeds of what one process hands over to another: states, Arrow arrays, packets for the memory tables, feeders, files
that are merged, filters. What each byte of them is stands on top of their targets."""

import gzip, json, struct


# --- states of folders ---

def hexed(text): return text.encode().hex()


def state(**changed):
    name, id = '/out/flows', 'c0ffee'
    later = [hexed(f'{name}.csv.{id}.1.part'), hexed(name), hexed('.csv')]
    whole = {'id': id, 'folder': hexed('/captures'), 'number': 3,
             'done': [[hexed('a.pcap'), 7, 1234, 1700000000000000000, 1600000000000000000, 0, 5],
                      [hexed('b.pcap.gz'), 8, 0, -1, None, 2, 0]],
             'to name': [later], 'living': [later]}
    return json.dumps({**whole, **changed}).encode()


ELSEWHERE = [hexed('/home/x.c0ffee.1.part'), hexed('/out/x'), '']
STATES = {
    'whole': b'\0' + state(), 'empty': b'\0' + state(done=[], living=[], **{'to name': []}), 'json': b'\0[{}]',
    'before': b'\2' + state(done=[[hexed('a.pcap'), 7, 1234, 17, 16, 1]]),
    **{f'name-{number}': b'\0' + state(done=[[hexed(name), 7, 1, 1, 1, 0, 0]])
       for number, name in enumerate(('../a', '..', '.', '', 'a\0b'))}, 'elsewhere': b'\0' + state(living=[ELSEWHERE]),
    'title': b'\1warpmeter folder state 2 0123456789abcdef\n{}', 'later': b'\1warpmeter folder state 3 x\n',
    'other': b'\1x',
}


# --- Arrow arrays ---

def texts(rows, which): return bytes(2) + bytes(rows + 1) + bytes([which]) * (rows + 1)
def numbers(rows, value=1): return bytes(2) + bytes([value]) * rows
def views(rows, which): return bytes(2) + bytes([which]) * 8 + b'\0' + rows * bytes([0, which])


def batch(rows, *more): return (bytes([rows]) + texts(rows, 0) + texts(rows, 1) +
                                b''.join(5 * [numbers(rows)]) + b''.join(more))


def usual(*more): return bytes([len(more) // 2]) + bytes(7) + bytes(more)
def addresses_as(kind): return bytes([0, kind, kind]) + bytes(5)


FIVE = 5 * numbers(2)
ARROWS = {
    'usual': usual() + batch(2) + batch(1), 'counters': usual(7, 4, 8, 5) + batch(2, *2 * [numbers(2)]),
    'nulls': usual(7, 6) + batch(3, bytes([0, 1, 5, 1, 2, 3])), 'none': usual(9, 10) + batch(2, b'\0'),
    'reverse': usual(15, 3, 16, 3) + batch(1, *2 * [numbers(1)]),
    'views': addresses_as(8) + b'\2' + views(2, 0) + views(2, 1) + FIVE,
    'long-views': addresses_as(8) + b'\2' + 2 * (bytes(2) + bytes([3]) * 8 + b'\0' + 2 * b'\xf1\0\0\0') + FIVE,
    'view-of-none': addresses_as(8) + b'\2' + 2 * (bytes(2) + bytes([3]) * 8 + b'\1' + 2 * b'\xf1\0\1\0') + FIVE,
    'long-texts': addresses_as(7) + b'\2' + texts(2, 2) + texts(2, 2) + FIVE,
    'dictionary': addresses_as(0x22) + b'\2' + 2 * (b'\0\1' + texts(2, 0) + b'\0\0\1') + FIVE,
    'offset': usual() + b'\x09' + texts(3, 0) + texts(3, 0) + 5 * numbers(3), 'error': usual() + batch(1) + b'\xff',
    'children': usual() + b'\xe2' + batch(2)[1:] + b'\0',
    'odd-offsets': usual() + b'\2' + bytes(2) + b'\xf3\0\xf4' + bytes(3) + batch(2)[9:],
    **{f'contradiction-{how}': usual() + b'\2\xe0\0' + texts(2, 0)[2:] + bytes([how]) + batch(2)[9:]
       for how in range(12)},
    **{f'dictionary-contradiction-{how}': addresses_as(0x22) + b'\2' + b'\xe0\1' + texts(2, 0) + b'\0\0\1' +
       bytes([how]) + b'\0\1' + texts(2, 0) + b'\0\0\1' + FIVE for how in (3, 10, 11, 27)},
}


# --- packets ---

def packet(place, length, pause=0x41, what=0): return struct.pack('<BBHB', what, pause, place, length)


PAUSES = (0x84, 0x8c, 0xc2, 0xc5, 0xcf, 0x41, 0xff)
MEMORIES = {
    'stream': b'\3' + b''.join(packet(100 * i, 100) for i in range(12)) + packet(1200, 0, what=2),
    'pauses': b'\1' + b''.join(packet(100 * i, 100, pause) for i, pause in enumerate(PAUSES)),
    'gaps': b'\2' + b''.join(packet(place, 50) for place in (0, 200, 100, 60, 0, 300, 30, 65530)),
    'blocks': b'\7' + b''.join(packet(16000 * i, 207) for i in range(4)) + packet(0, 255, 0x81),
    'ends': b'\0' + packet(0, 10, what=1) + packet(11, 9) + packet(20, 9, what=2) + packet(29, 9) +
            packet(0, 5, what=4),
    'both': b'\5' + b''.join(packet(50 * i, 50, 0x81, 16 * (i & 1)) for i in range(10)),
    'other': b'\0' + packet(0, 0, 0xff, 8) + packet(1, 9, 0x83, 0x80),
    'many': b'\4' + b''.join(packet(90 * i, 99, 0x85, 32 * (i & 3)) for i in range(30)),
    'little': b'\x83' + b''.join(packet(30 * (i * 7 % 40), 9, 0x90, 32 * (i & 3) | 16 * (i >> 2 & 1))
                                 for i in range(60)),
}


# --- feeders ---

COMES, SAYS, GOES, OTHER, LOOKS = range(5)
HELLO = (SAYS, 0, 1, 1, 0)
HELLOS = {name: bytes(steps) for name, steps in {
    'right': (COMES, *HELLO, LOOKS), 'two-rings': (COMES, LOOKS, SAYS, 0, 2, 2, 0, 0, LOOKS, LOOKS, GOES),
    'most': (COMES, SAYS, 0, 64, 64, 0, 0), 'too-many': (COMES, SAYS, 0, 69, 69, 0, 0), 'none': (COMES, SAYS, 0, 0, 0),
    'fewer': (COMES, SAYS, 0, 3, 1, 0), 'more': (COMES, SAYS, 0, 1, 3, 0, 0), 'version': (COMES, SAYS, 17, 1, 1, 0),
    'cut': (COMES, SAYS, 0x80, 1, 1, 0), 'text': (COMES, OTHER, 4, *b'hello', LOOKS),
    'second': (COMES, COMES | 8, SAYS, 0, 1, 1, 3, SAYS | 8, *HELLO[1:], LOOKS, LOOKS, LOOKS),
    'third': (COMES, *HELLO, LOOKS, COMES | 8, SAYS | 8, *HELLO[1:], LOOKS),
    **{f'handed-over-{kind}': (COMES, SAYS, 0, 2, 2, 0, kind, LOOKS) for kind in range(1, 8)},
    'header': (COMES, SAYS, 0, 1, 1, 2, 24, 1, LOOKS), 'written': (COMES, SAYS, 0, 1, 1, 2, 64, 24, LOOKS),
}.items()}


# --- files to merge ---

NAMES, BETWEEN = b'src_addr,dst_addr,src_port,dst_port,protocol,start_ns,end_ns\n', b'\xfe\xff'
OBJECT = {'src_addr': '10.0.0.1', 'dst_addr': '10.0.0.9', 'src_port': 1, 'dst_port': 2, 'protocol': 6, 'start_ns': 7,
          'end_ns': 8}


def flow(last, start, end=None):
    return f'10.0.0.{last},10.0.0.9,1,2,6,{start},{start + 1 if end is None else end}\n'.encode()


def more(line, what): return line.replace(b'\n', what + b'\n')


def merges(rows, objects, messages):
    files = {
        'two': (NAMES + flow(1, 5) + flow(3, 1), NAMES + flow(1, 6) + flow(2, 1)), 'alike': 3 * [NAMES + flow(1, 5)],
        'order': (NAMES + flow(2, 5) + flow(1, 5), NAMES), 'nothing': (b'',),
        'rounded': (NAMES + flow(1, 1000, 5000) + flow(1, 1000, 3000), NAMES + flow(1, 1000, 4000)),
        'five': [NAMES + flow(1 + i % 3, 9 - i) for i in range(5)],
        'bad': (NAMES + flow(1, 5) + b'x\n', NAMES + flow(1, 1)),
        'ties': [more(NAMES, b',packets') + 2 * more(flow(1, 5), b',%d' % i) for i in range(4)],
        'columns': (more(NAMES, b',packets') + more(flow(1, 5), b',3'), NAMES + flow(1, 6)),
        'json': 4 * [objects['four']], 'ipfix': 4 * [messages['times']], 'biflows': 4 * [rows['four']],
        'formats': (NAMES + flow(1, 5), json.dumps(OBJECT).encode() + b'\n'),
        'gzip': (gzip.compress(NAMES + flow(1, 5), mtime=0), NAMES + flow(1, 5)),
        'cut': (NAMES + flow(1, 5)[:-9], NAMES),
    }
    return {name: bytes([number & 1]) + BETWEEN.join(those) for number, (name, those) in enumerate(files.items())}


# --- filters ---

def steps(*of): return bytes([len(of) - 1]) + b''.join(map(bytes, of))


TCP = steps((1, 0, 0, 12), (39, 0, 2, 0xf9), (2, 0, 0, 23), (39, 0, 1, 6), (47, 0, 0, 1))


def with_code(code):
    before = (2, 0, 0, 20), (15, 0, 0, 0), (0, 0, 0, 14), (13, 0, 0, 1)
    return steps(*before, (code, 1, 2, 3), (40, 1, 0, 0), (37, 0, 0, 0))


def words(first): return bytes([first % 4, first, 64 + first % 60, 128 + 7 * first % 60, 192 + first])


def bpfs(frame):
    return {
        **{f'steps-{how}': bytes([4 | how, 5, 0]) + TCP + b'\7\0' for how in range(4)},
        'raw': bytes([1, 5, 0]) + steps((1, 0, 0, 11), (0, 0, 0, 13), (3, 0, 0, 2)) + frame,
        'far': bytes([4, 0, 0]) + steps((0, 0, 0, 0xf5)) + b'\1\0',
        'end': bytes([1, 0, 0]) + steps((0, 0, 0, 15), (3, 0, 0, 9)),
        **{f'code-{code}': bytes([5, 5, 0]) + with_code(code) + b'\3\0' for code in range(0, 49, 3)},
        **{f'expression-{n}': bytes([12 | n & 3, 5, 0]) + words(n) + b'\4\0' for n in range(0, 60, 5)},
    }
