"""Copies a little-endian pcap file of Ethernet frames without tags, and puts other headers before their IP packets.

    wrap_frames.py link NUMBER FROM TO     as if captured on another link type
    wrap_frames.py tunnel NAME FROM TO     each packet within another
"""
import struct, sys

V4, V6 = 0x0800, 0x86dd
SNAP = b'\xaa\xaa\x03\0\0\0'
WLAN = b'\x88\x01' + bytes(24) + SNAP


def be(*values): return struct.pack('>%dH' % len(values), *values)


def loopback(kind): return struct.pack('<I', 2 if kind == V4 else 30)
def ethernet_of(kind): return bytes(12) + be(kind)


LINKS = {       # LINKTYPE -> the header for an EtherType
    0: loopback,
    1: ethernet_of,
    6: lambda kind: b'\x10\x40' + bytes(12) + SNAP + be(kind),
    8: lambda kind: bytes(16),
    9: lambda kind: b'\xff\x03\0\x21' if kind == V4 else b'\xff\x03\0\x57',
    10: lambda kind: b'\x57' + bytes(12) + SNAP + be(kind),
    12: lambda kind: b'',
    14: lambda kind: b'',
    50: lambda kind: b'\x0f\0' + be(kind),
    51: lambda kind: b'\x11\0\0\1\0\0' + be(0x21 if kind == V4 else 0x57),
    100: lambda kind: SNAP + be(kind),
    101: lambda kind: b'',
    104: lambda kind: b'\x0f\0' + be(kind),
    105: lambda kind: WLAN + be(kind),
    106: lambda kind: SNAP + be(kind),
    107: lambda kind: b'\x18\x41\x03' + (b'\xcc' if kind == V4 else b'\x8e'),
    108: lambda kind: struct.pack('>I', 2 if kind == V4 else 24),
    113: lambda kind: be(0, 1, 6, 0, 0, 0, 0, kind),
    119: lambda kind: struct.pack('<II', 0x44, 144) + bytes(136) + WLAN + be(kind),
    127: lambda kind: b'\0\0\x08\0\0\0\0\0' + WLAN + be(kind),
    129: lambda kind: bytes([0, 0, 0, 0, 212 if kind == V4 else 196, 0, 0, 0]),
    163: lambda kind: struct.pack('>II', 0x80211001, 64) + bytes(56) + WLAN + be(kind),
    178: lambda kind: b'MGC\0' + ethernet_of(kind),
    192: lambda kind: b'\0\0\x08\0' + struct.pack('<I', 127) + b'\0\0\x08\0\0\0\0\0' + WLAN + be(kind),
    226: lambda kind: bytes([1, 2 if kind == V4 else 26]) + bytes(22),
    239: lambda kind: bytes([2 if kind == V4 else 10, 0, 0, 0]) + struct.pack('<HHIHH', 8, 1, 0, 0, 9),
    242: lambda kind: bytes(40) + be(kind, 0),
    258: lambda kind: struct.pack('<III', 108, 1, 1) + bytes(96) + ethernet_of(kind),
    274: lambda kind: b'\x55' * 7 + b'\xd5' + ethernet_of(kind),
    276: lambda kind: be(kind, 0, 0, 1, 1, 6, 0, 0, 0, 0),
    281: lambda kind: bytes(16) + be(kind),
    282: lambda kind: bytes(4) + ethernet_of(kind),
    284: lambda kind: bytes(16) + be(kind),
    285: lambda kind: bytes(20) + be(kind),
}


def ip4(protocol, payload):
    return struct.pack('>BBHHHBBH4s4s', 0x45, 0, 20 + len(payload), 1, 0, 64, protocol, 0, bytes(4), bytes(4)) + payload


def udp(port, payload): return ip4(17, be(9, port, 8 + len(payload), 0) + payload)
def ethernet(kind, packet): return ethernet_of(kind) + packet


TUNNELS = {
    'ipip': lambda kind, packet: ip4(4 if kind == V4 else 41, packet),
    'gre': lambda kind, packet: ip4(47, be(0x2000, kind, 0, 7) + packet),
    'vxlan': lambda kind, packet: udp(4789, b'\x08' + bytes(7) + ethernet(kind, packet)),
    'gtp': lambda kind, packet: udp(2152, b'\x30\xff' + bytes(6) + packet),
    'l2tp': lambda kind, packet: udp(1701, be(2, 1, 2) + (b'\0\x21' if kind == V4 else b'\0\x57') + packet),
    'nested': lambda kind, packet: TUNNELS['vxlan'](V4, TUNNELS['gre'](V4, TUNNELS['ipip'](kind, packet))),
}


def wrap(how, name, kind, packet):
    if how == 'link': return LINKS[int(name)](kind) + packet
    return ethernet(V4, TUNNELS[name](kind, packet))


how, name, source, target = sys.argv[1:]
data = open(source, 'rb').read()
with open(target, 'wb') as out:
    out.write(data[:20] + struct.pack('<I', int(name) if how == 'link' else 1))
    at = 24
    while at < len(data):
        seconds, fraction, captured, original = struct.unpack('<4I', data[at:at + 16])
        frame = data[at + 16:at + 16 + captured]
        kind = struct.unpack('>H', frame[12:14])[0]
  
        new = wrap(how, name, kind, frame[14:])
        out.write(struct.pack('<4I', seconds, fraction, len(new), original + len(new) - captured) + new)
        at += 16 + captured
