"""Captures for the notebooks beside this file: invented TCP traffic, as pcap files. Yours take their place."""

import base64
import hashlib
import ipaddress
import random
import struct

FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
MSS = 1400
START = 1_767_225_600.0  # 2026-01-01 00:00 UTC


class Capture:
    """Frames that were noted, in any order, and their file."""

    def __init__(self, seed=1):
        self.random = random.Random(seed)
        self._frames = []
        self._ids = {}

    def tcp(self, time, source, destination, flags, sequence=0, acknowledged=0, payload=0):
        """A segment between two (address, port), `time` seconds after START."""
        self._ids[source[0]] = number = (self._ids.get(source[0], 0) + 1) % 65536
        addresses = b"".join(ipaddress.ip_address(end[0]).packed for end in (source, destination))
        ip = struct.pack(">BBHHHBBH", 0x45, 0, 40 + payload, number, 0x4000, 64, 6, 0) + addresses
        numbers = sequence % 2**32, acknowledged % 2**32
        tcp = struct.pack(">HHIIBBHHH", source[1], destination[1], *numbers, 0x50, flags, 65535, 0, 0)
        self._frames.append((START + time, bytes(12) + b"\x08\x00" + ip + tcp, 54 + payload))

    def write(self, path):
        """Without payload, as `tcpdump -s 54` would."""
        _write(path, sorted(self._frames))
        return path

    def write_ring(self, folder, files):
        """As so many files that follow each other."""
        frames = sorted(self._frames)
        for number in range(files):
            first, end = (at * len(frames) // files for at in (number, number + 1))
            _write(folder / f"ring-{number:03}.pcap", frames[first:end])

    def download(self, time, client, server, kilobytes, loss=0.0, rtt=0.02, rate=200):
        """A connection in which the server sends so much, and again what is lost behind the capture point."""
        base = self.random.randrange(2**31), self.random.randrange(2**31)
        self.tcp(time, client, server, SYN, base[0])
        self.tcp(time + rtt, server, client, SYN | ACK, base[1], base[0] + 1)
        self.tcp(time + rtt + 0.001, client, server, ACK, base[0] + 1, base[1] + 1)
        self.tcp(time + rtt + 0.002, client, server, PSH | ACK, base[0] + 1, base[1] + 1, 120)
        at, sent = time + 2 * rtt, base[1] + 1
        for _ in range(max(1, kilobytes * 1000 // MSS)):
            self.tcp(at, server, client, ACK, sent, base[0] + 121, MSS)
            if self.random.random() < loss:
                self.tcp(at + 2 * rtt, server, client, ACK, sent, base[0] + 121, MSS)
            sent += MSS
            self.tcp(at + 0.001, client, server, ACK, base[0] + 121, sent)
            at += 1 / rate
        end = at + 3 * rtt
        self.tcp(end, server, client, FIN | ACK, sent, base[0] + 121)
        self.tcp(end + 0.001, client, server, FIN | ACK, base[0] + 121, sent + 1)
        self.tcp(end + rtt, server, client, ACK, sent + 1, base[0] + 122)
        return end + rtt - time

    def knock(self, time, client, server, answer):
        """A SYN, and what comes of it: "refused", or None."""
        sequence = self.random.randrange(2**31)
        self.tcp(time, client, server, SYN, sequence)
        if answer == "refused":
            self.tcp(time + 0.001, server, client, RST | ACK, 0, sequence + 1)


def _write(path, frames):
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 54, 1))
        for time, frame, length in frames:
            nanoseconds = round(time * 1e9)
            file.write(struct.pack("<IIII", *divmod(nanoseconds, 10**9), len(frame), length) + frame)


def community_id(client, server):
    """Community ID 1 of a TCP connection, as Zeek logs it."""
    ends = sorted((ipaddress.ip_address(address).packed, port) for address, port in (client, server))
    (one, one_port), (other, other_port) = ends
    key = b"\0\0" + one + other + b"\x06\0" + struct.pack(">HH", one_port, other_port)
    return "1:" + base64.b64encode(hashlib.sha1(key).digest()).decode()


def write_conn_log(path, connections):
    """As Zeek's, with the Community ID. Of each connection its time, client, server, service and duration."""
    fields = {"ts": "time", "uid": "string", "id.orig_h": "addr", "id.orig_p": "port", "id.resp_h": "addr",
              "id.resp_p": "port", "proto": "enum", "service": "string", "duration": "interval",
              "community_id": "string"}  # fmt: skip
    with open(path, "w") as file:
        file.write("#separator \\x09\n#set_separator\t,\n#empty_field\t(empty)\n#unset_field\t-\n#path\tconn\n")
        file.write("\t".join(["#fields", *fields]) + "\n" + "\t".join(["#types", *fields.values()]) + "\n")
        for number, (time, client, server, service, duration) in enumerate(connections):
            row = (f"{START + time:.6f}", f"C{number:06d}", *client, *server, "tcp", service, f"{duration:.6f}",
                   community_id(client, server))  # fmt: skip
            file.write("\t".join(map(str, row)) + "\n")
    return path
