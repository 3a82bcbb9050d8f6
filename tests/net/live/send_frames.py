"""send_frames.py INTERFACE FILE [TIMES]: sends the frames of a pcap file, in order, and prints how many it sent.

What the system has no room for is sent again, so that all of them were on the wire. Needs CAP_NET_RAW.
"""
import errno, socket, struct, sys, time

interface, name = sys.argv[1:3]
times = int(sys.argv[3]) if len(sys.argv) > 3 else 1
data = open(name, 'rb').read()
order = {0xa1b2c3d4: '<', 0xa1b23c4d: '<', 0xd4c3b2a1: '>', 0x4d3cb2a1: '>'}[struct.unpack('<I', data[:4])[0]]
frames, at = [], 24
while at < len(data):
    length = struct.unpack(order + 'I', data[at + 8:at + 12])[0]
    frames.append(data[at + 16:at + 16 + length])
    at += 16 + length
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind((interface, 0))
for frame in frames * times:
    while True:
        try: s.send(frame)
        except OSError as error:
            if error.errno != errno.ENOBUFS: raise
            time.sleep(0.001)
        else: break
print(len(frames) * times)
