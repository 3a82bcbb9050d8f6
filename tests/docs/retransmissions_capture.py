#!/usr/bin/env python3
"""Writes data/retransmissions.pcap, the packets of docs/retransmissions.md: for each case a conversation, with a port
of its own.

    tests/docs/retransmissions_capture.py FILE
"""
import struct, sys

FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
BEGIN = 1700000000 * 10**6  # microseconds since 1970
CLIENT, SERVER = bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2])


def checksum(data):
    total = sum(struct.unpack(f'>{len(data) // 2}H', data))
    while total >> 16: total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


class Conversation:
    """Between one client and a server with PORT. Sequence numbers are relative to both ISNs, times are ms since BEGIN.
    A packet that is a copy has the IP id of the packet before."""
    packets, ip_id = [], 0

    def __init__(self, port, begin, isns=(1000, 5000)): self.port, self.now, self.isns = port, begin, isns

    def send(self, way, flags, seq, ack, length=0, after=1, window=8192, is_copy=False):
        """WAY: '>' from the client, '<' from the server."""
        self.now += after
        if not is_copy: Conversation.ip_id += 1
        own, other = self.isns if way == '>' else self.isns[::-1]
        ports = (40000, self.port) if way == '>' else (self.port, 40000)
        ends = CLIENT + SERVER if way == '>' else SERVER + CLIENT
        payload = bytes((seq + at) % 251 for at in range(length))  # by number: the same when it is sent again
        numbers = (own + seq) % 2**32, (other + ack) % 2**32 if flags & ACK else 0
        tcp = struct.pack('>HHIIBBHHH', *ports, *numbers, 0x50, flags, window, 0, 0) + payload
        pseudo = ends + struct.pack('>BBH', 0, 6, len(tcp)) + tcp + bytes(len(tcp) % 2)
        tcp = tcp[:16] + struct.pack('>H', checksum(pseudo)) + tcp[18:]
        ip = struct.pack('>BBHHHBBH', 0x45, 0, 20 + len(tcp), Conversation.ip_id, 0x4000, 64, 6, 0) + ends
        ip = ip[:10] + struct.pack('>H', checksum(ip)) + ip[12:]
        Conversation.packets.append((BEGIN + round(self.now * 1000), bytes(12) + b'\x08\x00' + ip + tcp))

    def open(self):
        """20 ms from SYN to SYN+ACK: tshark takes late segments for out of order within that time."""
        self.send('>', SYN, 0, 0)
        self.send('<', SYN | ACK, 0, 1, after=20)
        self.send('>', ACK, 1, 1)
        return self

    def data(self, seq, length, after=1, **words): self.send('>', PSH | ACK, seq, 1, length, after, **words)

    def ack(self, number, after=1, **words): self.send('<', ACK, 1, number, 0, after, **words)


def sent_again():
    after_timeout = Conversation(8001, 0).open()
    after_timeout.data(1, 100)
    after_timeout.data(101, 100)
    after_timeout.data(1, 100, after=300)
    fast = Conversation(8002, 1000).open()
    for seq in (1, 101, 201, 301): fast.data(seq, 100)
    for _ in range(3): fast.ack(1)
    fast.data(1, 100, after=5)
    spurious = Conversation(8003, 2000).open()
    spurious.data(1, 100)
    spurious.ack(101)
    spurious.data(1, 100, after=300)
    at_once = Conversation(8004, 3000).open()
    at_once.data(1, 100)
    at_once.data(101, 100)
    at_once.data(1, 100, after=5)


def late():
    reordered = Conversation(8005, 4000).open()
    reordered.data(1, 100)
    reordered.data(201, 100)
    reordered.data(101, 100, after=0.2)
    lost_before = Conversation(8006, 5000).open()
    lost_before.data(1, 100)
    lost_before.data(201, 100)
    lost_before.data(101, 100, after=300)
    never_captured = Conversation(8007, 6000).open()
    never_captured.data(1, 100)
    never_captured.data(201, 100)
    never_captured.ack(301)
    never_captured.data(101, 100, after=5)


def copies():
    mirror = Conversation(8008, 7000).open()
    mirror.data(1, 100)
    mirror.data(1, 100, after=0.05, is_copy=True)
    mirror.ack(101)
    slow_mirror = Conversation(8009, 8000).open()
    slow_mirror.data(1, 100)
    slow_mirror.data(1, 100, after=150, is_copy=True)


def single_bytes():
    keep_alive = Conversation(8010, 9000).open()
    keep_alive.data(1, 100)
    keep_alive.ack(101)
    for length in (1, 1, 0):
        keep_alive.send('>', ACK, 100, 1, length, after=1000)
        keep_alive.ack(101)
    lone_byte = Conversation(8011, 14000).open()
    lone_byte.data(1, 100)
    lone_byte.data(101, 1)
    lone_byte.data(101, 1, after=300)


def closed_windows():
    probe = Conversation(8012, 15000).open()
    probe.data(1, 100)
    probe.ack(101, window=0)
    for _ in range(2):
        probe.data(101, 1, after=300)
        probe.ack(101, window=0)
    probe.ack(101, after=100)
    probe.data(101, 100)
    on_the_way = Conversation(8013, 17000).open()
    on_the_way.data(1, 100)
    on_the_way.ack(101, window=0)
    on_the_way.data(101, 100)
    on_the_way.ack(101, after=100)
    on_the_way.data(101, 100, after=300)


def other_pieces():
    split = Conversation(8014, 18000).open()
    split.data(1, 200)
    split.data(201, 100)
    split.data(1, 100, after=300)
    split.data(101, 100)
    grown = Conversation(8015, 19000).open()
    grown.data(1, 100)
    grown.data(1, 200, after=300)
    grown.data(151, 100)


def flags():
    syn = Conversation(8016, 20000)
    syn.send('>', SYN, 0, 0)
    syn.send('>', SYN, 0, 0, after=1000)
    syn.send('<', SYN | ACK, 0, 1, after=20)
    syn.send('>', ACK, 1, 1)
    syn.send('>', FIN | ACK, 1, 1)
    syn.send('>', FIN | ACK, 1, 1, after=300)
    reset = Conversation(8017, 22000).open()
    reset.data(1, 100)
    reset.send('>', RST | ACK, 1, 1, 20)


def other_numbers():
    stray = Conversation(8018, 23000).open()
    stray.data(1, 100)
    stray.data(1 + 2**28, 100)
    stray.data(101, 100)
    first = Conversation(8019, 24000).open()
    first.data(1, 100)
    first.send('>', FIN | ACK, 101, 1)
    first.send('<', FIN | ACK, 1, 102)
    second = Conversation(8019, 25000, isns=(900, 9000)).open()
    second.data(1, 100)
    second.data(101, 100)
    acknowledged = Conversation(8020, 26000).open()
    acknowledged.data(1, 100)
    acknowledged.ack(201)
    acknowledged.data(101, 100)


def main():
    if len(sys.argv) != 2: sys.exit(__doc__)
    for case in (sent_again, late, copies, single_bytes, closed_windows, other_pieces, flags, other_numbers): case()
    with open(sys.argv[1], 'wb') as file:
        file.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 262144, 1))
        for time, frame in Conversation.packets:
            file.write(struct.pack('<IIII', *divmod(time, 10**6), len(frame), len(frame)) + frame)


if __name__ == '__main__': main()
