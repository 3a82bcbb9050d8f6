"""Frames and captures, quickly: headers only, as a capture with a short snap length has them, but for `data`."""
import struct

ETHERNET4 = b'\x02' * 6 + b'\x04' * 6 + b'\x08\x00'
ETHERNET6 = b'\x02' * 6 + b'\x04' * 6 + b'\x86\xdd'
FIN, SYN, RST, ACK = 1, 2, 4, 16
START_NS = 1_600_000_000 * 10**9

IP4 = struct.Struct('>BBHHHBBHII').pack
TCP = struct.Struct('>HHIIBBHHH').pack
IP6 = struct.Struct('>IHBBQQQQ').pack
RECORD = struct.Struct('<IIII').pack


class Tcp4:
    """IPv4 TCP between two hosts, but for what a call changes. -> (frame, length of the whole frame)"""
    def __init__(self, **fields):
        self.fields = dict(source=0x0a000001, destination=0xc0000201, source_port=40000, destination_port=443, seq=0,
                           ack=1, flags=ACK, window=1000, checksum=0, payload=0, data=b'', id=1) | fields

    def __call__(self, **fields):
        f = self.fields | fields
        payload = len(f['data']) or f['payload']
        ip = IP4(0x45, 0, 40 + payload, f['id'], 0, 64, 6, 0, f['source'], f['destination'])
        tcp = TCP(f['source_port'], f['destination_port'], f['seq'] & 0xffffffff, f['ack'] & 0xffffffff, 0x50,
                  f['flags'], f['window'], f['checksum'], 0)
        return ETHERNET4 + ip + tcp + f['data'], 54 + payload


def tcp6(source, destination, source_port, destination_port, seq, flags=SYN):
    """Addresses are pairs of 64-bit numbers."""
    ip = IP6(6 << 28, 20, 6, 64, *source, *destination)
    return ETHERNET6 + ip + TCP(source_port, destination_port, seq & 0xffffffff, 1, 0x50, flags, 1000, 0, 0), 74


def ip4(source, destination, protocol, payload, id=1, fragment=0):
    """`fragment`: flags and offset."""
    return (ETHERNET4 + IP4(0x45, 0, 20 + len(payload), id, fragment, 64, protocol, 0, source, destination) + payload,
            34 + len(payload))


def write(path, packets):
    """Packets: (nanoseconds since the start, (frame, length)). -> how many"""
    count = 0
    with open(path, 'wb', buffering=1 << 20) as file:
        file.write(struct.pack('<IHHiIII', 0xa1b23c4d, 2, 4, 0, 0, 262144, 1))
        for time_ns, (frame, length) in packets:
            time_ns += START_NS
            file.write(RECORD(time_ns // 10**9, time_ns % 10**9, len(frame), length) + frame)
            count += 1
    return count
