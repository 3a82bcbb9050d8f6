"""feeder.py NAME FILE.pcap [FIELD NUMBER]: a feeder by docs/feeders.md alone, sharing no code with the others.

With FIELD, one of the last record (time_ns, captured, original, link, flags) or of the header (write, passed_ns,
dropped, magic, version, data_bytes) gets this NUMBER: a feeder that does wrong. Waits until the meter is gone, or has
said why it refuses.
"""
import fcntl, mmap, os, socket, struct, sys, time

DATA = 1 << 20
HEADER = {'magic': (0, 'Q'), 'version': (8, 'I'), 'data_bytes': (16, 'Q'), 'write': (64, 'Q'), 'passed_ns': (72, 'q'),
          'dropped': (88, 'Q')}
RECORD = ['time_ns', 'captured', 'original', 'link', 'flags']
F_ADD_SEALS, SHRINK, GROW = 1033, 2, 4

name, path = sys.argv[1:3]
field, number = (sys.argv[3], int(sys.argv[4])) if len(sys.argv) > 3 else (None, 0)
capture = open(path, 'rb').read()
ns = 1 if struct.unpack('<I', capture[:4])[0] == 0xa1b23c4d else 1000
frames, at = [], 24
while at < len(capture):
    seconds, part, captured, original = struct.unpack('<IIII', capture[at:at + 16])
    frames.append((seconds * 10**9 + part * ns, captured, original, capture[at + 16:at + 16 + captured]))
    at += 16 + captured

fd = os.memfd_create('feeder', os.MFD_ALLOW_SEALING)
os.ftruncate(fd, 4096 + DATA)
fcntl.fcntl(fd, F_ADD_SEALS, SHRINK | GROW)
ring = mmap.mmap(fd, 4096 + DATA)
struct.pack_into('<QIIQIII', ring, 0, int.from_bytes(b'wmfring1', 'little'), 1, 4096, DATA, 0, 1, 65536)

meter = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
hello = struct.pack('<QII', int.from_bytes(b'wmfhello', 'little'), 1, 1)
if field in ('magic', 'version', 'data_bytes'): struct.pack_into('<' + HEADER[field][1], ring, HEADER[field][0], number)
while True:
    try: meter.connect('\0warpmeter/feeder/' + name)
    except ConnectionRefusedError: time.sleep(0.01)
    else: break
socket.send_fds(meter, [hello], [fd])

words = memoryview(ring).cast('Q')  # each is stored at once; pack_into() would store byte by byte
write = 0
for i, (stamp, captured, original, frame) in enumerate(frames):
    size = (24 + captured + 7) // 8 * 8
    left = DATA - write % DATA
    skipped = left if size > left else 0
    while write + skipped + size - words[24] > DATA: time.sleep(0.001)
    if skipped >= 24: struct.pack_into('<qIIHHI', ring, 4096 + write % DATA, 0, 0, 0, 0, 1, 0)
    write += skipped
    values = dict(zip(RECORD, (stamp, captured, original, 1, 0)))
    if field in values and i == len(frames) - 1: values[field] = number
    place = 4096 + write % DATA
    struct.pack_into('<qIIHHI', ring, place, *values.values(), 0)
    ring[place + 24:place + 24 + captured] = frame
    write += size
    words[10] = i + 1
    words[8] = write
if field in ('write', 'passed_ns', 'dropped'): words[HEADER[field][0] // 8] = number
if field in (None, 'dropped'): struct.pack_into('<I', ring, 120, 1)
print(meter.recv(200).decode() or 'the meter is gone')
