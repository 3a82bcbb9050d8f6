"""ring_feeder.py NAME RINGS FILE.pcap RING...: a feeder that gives a capture to several rings, one after the other.

The packets are shared by RING..., over and over: the first goes to the first of these. Rings are filled in their order,
and the next one when the meter has taken what is in the one before, so that what is in later rings is late. All that
TURNS times (environment; else once), half a second apart. Waits until the meter is gone.
"""
import fcntl, mmap, os, socket, struct, sys, time

DATA, F_ADD_SEALS, SHRINK, GROW = 1 << 20, 1033, 2, 4
WRITE, OFFERED, READ, ENDS = 64, 80, 192, 120  # places in the header

name, count, path = sys.argv[1], int(sys.argv[2]), sys.argv[3]
shares = list(map(int, sys.argv[4:]))
capture = open(path, 'rb').read()
ns = 1 if struct.unpack('<I', capture[:4])[0] == 0xa1b23c4d else 1000


class Ring:
    def __init__(self, number):
        self.fd = os.memfd_create('feeder', os.MFD_ALLOW_SEALING)
        os.ftruncate(self.fd, 4096 + DATA)
        fcntl.fcntl(self.fd, F_ADD_SEALS, SHRINK | GROW)
        self.map = mmap.mmap(self.fd, 4096 + DATA)
        self.words = memoryview(self.map).cast('Q')  # each is stored at once
        struct.pack_into('<8sIIQIII', self.map, 0, b'wmfring1', 1, 4096, DATA, number, count, 65536)
        self.write = self.offered = 0

    def put(self, stamp, original, frame):
        size = (24 + len(frame) + 7) // 8 * 8
        assert self.write + size <= DATA, 'more than a ring has room for'
        struct.pack_into('<qIIHHI', self.map, 4096 + self.write, stamp, len(frame), original, 1, 0, 0)
        self.map[4096 + self.write + 24:4096 + self.write + 24 + len(frame)] = frame
        self.write += size
        self.offered += 1

    def give(self):
        self.words[OFFERED // 8] = self.offered
        self.words[WRITE // 8] = self.write
        while self.words[READ // 8] != self.write: time.sleep(0.001)
        time.sleep(0.05)  # until it is metered


def fill(rings):
    at, packet = 24, 0
    while at < len(capture):
        seconds, part, captured, original = struct.unpack('<IIII', capture[at:at + 16])
        frame = capture[at + 16:at + 16 + captured]
        rings[shares[packet % len(shares)]].put(seconds * 10**9 + part * ns, original, frame)
        at, packet = at + 16 + captured, packet + 1


rings = [Ring(number) for number in range(count)]
meter = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
while True:
    try: meter.connect('\0warpmeter/feeder/' + name)
    except ConnectionRefusedError: time.sleep(0.01)
    else: break
socket.send_fds(meter, [struct.pack('<8sII', b'wmfhello', 1, count)], [ring.fd for ring in rings])
for turn in range(int(os.environ.get('TURNS', 1))):
    if turn > 0: time.sleep(0.5)
    fill(rings)
    for ring in rings: ring.give()
for ring in rings: struct.pack_into('<I', ring.map, ENDS, 1)
print(meter.recv(200).decode() or 'the meter is gone')
