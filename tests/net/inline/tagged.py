"""Packets of two connections in VLANs, one tagged twice, go out of `wire` of the namespace `sender`, and come out of
`tap0` of `host`: fewer frames, with the tags and the bytes of their connection."""
import ctypes, socket, struct, time

SOL_PACKET, PACKET_AUXDATA, CLONE_NEWNET, ALL = 263, 8, 0x40000000, 3
VLAN_VALID, TPID_VALID = 0x10, 0x40
PACKETS, SIZE = 10, 1000


def packet_socket(space, interface):
    with open('/run/netns/' + space) as there: assert ctypes.CDLL(None).setns(there.fileno(), CLONE_NEWNET) == 0
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    sock.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
    sock.bind((interface, ALL))
    return sock


def summed(data, start=0):
    words = sum(struct.unpack(f'>{len(data) // 2}H', data)) + start
    while words >> 16: words = (words & 0xffff) + (words >> 16)
    return ~words & 0xffff


def segment(port, number):
    payload = bytes([number]) * SIZE
    tcp = struct.pack('>HHIIBBHHH', port, 443, 1 + number * SIZE, 1, 0x50, 0x10, 512, 0, 0)
    pseudo = bytes([10, 9, 0, 1, 10, 9, 0, 9]) + struct.pack('>HH', 6, len(tcp) + SIZE)
    tcp = tcp[:16] + struct.pack('>H', summed(pseudo + tcp + payload)) + tcp[18:]
    ip = struct.pack('>BBHHHBBH', 0x45, 0, 40 + SIZE, number, 0x4000, 64, 6, 0) + pseudo[:8]
    return ip[:10] + struct.pack('>H', summed(ip)) + ip[12:] + tcp + payload


def received(sock):
    """-> the frame, with the tag that came beside it back in it"""
    frame, beside, _, _ = sock.recvmsg(1 << 17, 256)
    for level, kind, data in beside:
        if (level, kind) != (SOL_PACKET, PACKET_AUXDATA): continue
        status, tag, protocol = struct.unpack('I', data[:4])[0], *struct.unpack('HH', data[16:20])
        if status & VLAN_VALID:
            protocol = protocol if status & TPID_VALID else 0x8100
            frame = frame[:12] + struct.pack('>HH', protocol, tag) + frame[12:]
    return frame


def main():
    to, out = packet_socket('host', 'tap0'), packet_socket('sender', 'wire')
    link = bytes([2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2])
    wanted, frames = {}, 0
    for port, tags in ((1000, '8100 0005'), (2000, '88a8 6007 8100 0009')):
        head = link + bytes.fromhex(tags) + b'\x08\0'
        for number in range(PACKETS): out.send(head + segment(port, number))
        wanted[head] = b''.join(bytes([number]) * SIZE for number in range(PACKETS))
    to.settimeout(5)
    begin = time.monotonic()
    while wanted and time.monotonic() < begin + 5:
        frame = received(to)
        for head, payload in list(wanted.items()):
            if not frame.startswith(head): continue
            assert payload.startswith(frame[len(head) + 40:]), head.hex()
            wanted[head] = payload[len(frame) - len(head) - 40:]
            if not wanted[head]: del wanted[head]
            frames += 1
    assert not wanted and frames < 2 * PACKETS, ([head.hex() for head in wanted], frames)


if __name__ == '__main__': main()
