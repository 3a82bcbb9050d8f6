"""send_joined.py INTERFACE FILE: sends the frames of a pcap file; those that follow each other with one time are
segments of one frame, which leaves as TSO leaves it to an interface. Prints how many frames
left, and how many were joined.

FILE has Ethernet with at most one VLAN tag, IPv4 or IPv6 without options, TCP without options or UDP. Needs
CAP_NET_RAW.
"""
import itertools, socket, struct, sys

SOL_PACKET, PACKET_VNET_HDR = 263, 15
NEEDS_CSUM, TCP4, TCP6, UDP = 1, 1, 4, 5


def joined(frames):
    """-> virtio_net_hdr, frame"""
    first = bytearray(frames[0])
    ip = 18 if first[12:14] == b'\x81\x00' else 14
    is_6 = first[ip] >> 4 == 6
    transport = ip + (40 if is_6 else 20)
    is_udp = first[ip + (6 if is_6 else 9)] == 17
    headers = transport + (8 if is_udp else 20)
    size = len(first) - headers
    if len(frames) == 1: return bytes(10), bytes(first)
    payload = b''.join(frame[headers:] for frame in frames)
    length = struct.pack('>H', headers - ip - (40 if is_6 else 0) + len(payload))
    first[ip + (4 if is_6 else 2):ip + (6 if is_6 else 4)] = length
    if is_udp: first[transport + 4:transport + 6] = struct.pack('>H', 8 + len(payload))
    else:
        for frame in frames: first[transport + 13] |= frame[transport + 13]
    kind = UDP if is_udp else TCP6 if is_6 else TCP4
    vnet = struct.pack('=BBHHHH', NEEDS_CSUM, kind, headers, size, transport, 6 if is_udp else 16)
    return vnet, bytes(first[:headers]) + payload


interface, name = sys.argv[1:3]
data, packets, at = open(name, 'rb').read(), [], 24
while at < len(data):
    seconds, part, length, _ = struct.unpack('<IIII', data[at:at + 16])
    packets.append(((seconds, part), data[at + 16:at + 16 + length]))
    at += 16 + length
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
s.bind((interface, 0))
sent = merged = 0
for _, group in itertools.groupby(packets, key=lambda packet: packet[0]):
    frames = [frame for _, frame in group]
    s.send(b''.join(joined(frames)))
    sent, merged = sent + 1, merged + (len(frames) > 1)
print(sent, merged)
