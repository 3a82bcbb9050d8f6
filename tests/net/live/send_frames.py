"""send_frames.py INTERFACE FILE [TIMES]: sends the frames of a pcap file, in order, and prints how many it sent.

All of them were on the wire: of a veth interface the system drops what its backlog of a CPU (1,000 packets) has no room
for, so this waits for it, and fails if the interface counts a drop. Needs CAP_NET_RAW.
"""
import errno, os, socket, struct, sys, time

AT_ONCE = 250                # frames between two looks at the backlog
BACKLOG, CPU = 11, 12        # columns of softnet_stat, hexadecimal; Linux 5.14 and later


def backlog_of(cpu):
    rows = [line.split() for line in open('/proc/net/softnet_stat')]
    return sum(int(row[BACKLOG], 16) for row in rows if len(row) > CPU and int(row[CPU], 16) == cpu)


def transmitted(interface):
    """-> packets, drops"""
    for line in open('/proc/net/dev'):
        name, _, numbers = line.partition(':')
        if name.strip() == interface: return [int(numbers.split()[i]) for i in (9, 11)]
    raise SystemExit(f'{interface} is gone')


interface, name = sys.argv[1:3]
times = int(sys.argv[3]) if len(sys.argv) > 3 else 1
data = open(name, 'rb').read()
order = {0xa1b2c3d4: '<', 0xa1b23c4d: '<', 0xd4c3b2a1: '>', 0x4d3cb2a1: '>'}[struct.unpack('<I', data[:4])[0]]
frames, at = [], 24
while at < len(data):
    length = struct.unpack(order + 'I', data[at + 8:at + 12])[0]
    frames.append(data[at + 16:at + 16 + length])
    at += 16 + length
cpu = min(os.sched_getaffinity(0))
os.sched_setaffinity(0, {cpu})
packets, drops = transmitted(interface)
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind((interface, 0))
for number, frame in enumerate(frames * times):
    while number % AT_ONCE == 0 and backlog_of(cpu): time.sleep(0.0005)
    while True:
        try: s.send(frame)
        except OSError as error:
            if error.errno != errno.ENOBUFS: raise
            time.sleep(0.001)
        else: break
packets, drops = (after - before for after, before in zip(transmitted(interface), (packets, drops)))
if drops or packets != len(frames) * times: sys.exit(f'{packets} of {len(frames) * times} sent, {drops} dropped')
while backlog_of(cpu): time.sleep(0.0005)
print(packets)
