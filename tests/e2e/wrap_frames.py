"""Copies a little-endian pcap file of Ethernet frames without tags, and puts other headers before their IP packets.

    wrap_frames.py link NUMBER FROM TO     as if captured on another link type
    wrap_frames.py way NAME FROM TO        behind what may stand between a link's header and IP
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
    7: lambda kind: bytes([1, 2, 212 if kind == V4 else 196, 0, 0, 1]),
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
    109: lambda kind: struct.pack('<I', 2 if kind == V4 else 24) + bytes(8),
    117: lambda kind: bytes([61, 2 if kind == V4 else 24]) + bytes(62),
    197: lambda kind: bytes(8) + b'\x82' + bytes(7) + b'\x80' + bytes(7) + bytes(8 + 2 + 12) + be(kind),
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
    'linux-vxlan': lambda kind, packet: udp(8472, b'\x08' + bytes(7) + ethernet(kind, packet)),
    'gpe': lambda kind, packet: udp(4790, b'\x0c\0\0' + (b'\1' if kind == V4 else b'\2') + bytes(4) + packet),
    'wccp': lambda kind, packet: ip4(47, (be(0, 0x883e, 0, 0) if kind == V4 else be(0, kind)) + packet),
    'aruba': lambda kind, packet: ip4(47, be(0, 0x8200) + WLAN + be(kind) + packet),
    'etherip': lambda kind, packet: ip4(97, b'\x30\0' + ethernet(kind, packet)),
    'mpls': lambda kind, packet: ip4(137, b'\0\0\1\x40' + packet),
    'mpls-in-udp': lambda kind, packet: udp(6635, b'\0\0\1\x40' + packet),
    'srv6-ethernet': lambda kind, packet: ip4(143, ethernet(kind, packet)),
    'tzsp': lambda kind, packet: udp(37008, b'\1\0\0\1\x0d\4' + bytes(4) + b'\1' + ethernet(kind, packet)),
    'capwap': lambda kind, packet: udp(5247, b'\0\x10\3\0' + bytes(4) + WLAN[1::-1] + WLAN[2:] + be(kind) + packet),
    'lisp': lambda kind, packet: udp(4341, bytes(8) + packet),
    'vxlan-5000': lambda kind, packet: udp(5000, b'\x08' + bytes(7) + ethernet(kind, packet)),
    'nested': lambda kind, packet: TUNNELS['vxlan'](V4, TUNNELS['gre'](V4, TUNNELS['ipip'](kind, packet))),
}


def nsh(kind): return b'\0\2\1' + (b'\1' if kind == V4 else b'\2') + bytes(4)
def msdu(llc): return bytes(12) + be(len(llc)) + llc


def amsdu(kind, packet):
    """The packet behind an MSDU that is none, with its padding."""
    return b'\x88\x02' + bytes(22) + b'\x80\0' + msdu(bytes(40)) + bytes(2) + msdu(SNAP + be(kind) + packet) + bytes(4)


WAYS = {        # -> LINKTYPE, frame
    'vntag': lambda kind, packet: (1, ethernet(0x8926, bytes(4) + be(kind) + packet)),
    'etag': lambda kind, packet: (1, ethernet(0x893f, bytes(6) + be(0x8200, 7, kind) + packet)),
    'hsr': lambda kind, packet: (1, ethernet(0x892f, bytes(4) + be(kind) + packet)),
    'rtag': lambda kind, packet: (1, ethernet(0xf1c1, bytes(4) + be(kind) + packet)),
    'cmd': lambda kind, packet: (1, ethernet(0x8909, bytes(6) + be(kind) + packet)),
    'macsec': lambda kind, packet: (1, ethernet(0x88e5, b'\x20' + bytes(13) + be(kind) + packet)),
    'arista': lambda kind, packet: (1, ethernet(0xd28b, be(1, 0x110) + bytes(8) + be(kind) + packet)),
    'nsh': lambda kind, packet: (1, ethernet(0x894f, b'\0\6\1\4' + bytes(20) + nsh(kind) + packet)),
    'pbb': lambda kind, packet: (1, ethernet(0x88e7, bytes(4) + ethernet(kind, packet))),
    'fabricpath': lambda kind, packet: (1, ethernet(0x8903, bytes(2) + ethernet(kind, packet))),
    'isl': lambda kind, packet: (1, b'\1\0\x0c\0\0\3' + bytes(6) + be(60) + bytes(12) + ethernet(kind, packet)),
    'pseudowire': lambda kind, packet: (1, ethernet(0x8847, b'\0\1\1\x40\x45' + bytes(11) + be(kind) + packet)),
    'multilink': lambda kind, packet: (9, b'\xff\3\0\x3d\xc0\1\0' + (b'\x21' if kind == V4 else b'\x57') + packet),
    'bridged': lambda kind, packet: (107, b'\x18\x41\3\0\x80\0\x80\xc2\0\7' + ethernet(kind, packet)),
    'amsdu': lambda kind, packet: (105, amsdu(kind, packet)),
    'mesh': lambda kind, packet: (105, b'\x88\2' + bytes(22) + b'\0\1\1' + bytes(11) + SNAP + be(kind) + packet),
}


def wrap(how, name, kind, packet):
    if how == 'link': return LINKS[int(name)](kind) + packet
    if how == 'way': return WAYS[name](kind, packet)[1]
    return ethernet(V4, TUNNELS[name](kind, packet))


how, name, source, target = sys.argv[1:]
data = open(source, 'rb').read()
with open(target, 'wb') as out:
    link = int(name) if how == 'link' else WAYS[name](V4, b'')[0] if how == 'way' else 1
    out.write(data[:20] + struct.pack('<I', link))
    at = 24
    while at < len(data):
        seconds, fraction, captured, original = struct.unpack('<4I', data[at:at + 16])
        frame = data[at + 16:at + 16 + captured]
        kind = struct.unpack('>H', frame[12:14])[0]
  
        new = wrap(how, name, kind, frame[14:])
        out.write(struct.pack('<4I', seconds, fraction, len(new), original + len(new) - captured) + new)
        at += 16 + captured
