#!/usr/bin/env python3
"""Reads streams of records (docs/streams.md), of standard input or of those who connect at a socket; prints what they
hold.

    warpmeter reassemble --unordered -o - trace.pcap | read_streams.py

    read_streams.py /run/detector/socket &
    warpmeter live -i eth0 --streams unix:/run/detector/socket
"""
import ipaddress
import os
import socket
import stat
import struct
import sys

REASONS = ("none", "size", "fin", "rst", "timeout", "reuse", "end", "memory")
SIDES = ("client", "server")


def records(stream):
    """Yields ("opened", connection, ...), ("block", connection, reason, packet, sub-blocks), ("ended", connection, ...)
    and, last, ("last", connections, stray segments); of a live capture also ("dropped", blocks, bytes, ends). A
    sub-block is (side, offset, gap, bytes)."""
    def take(count):
        taken = stream.read(count)
        if len(taken) < count: raise EOFError("the stream is cut short")
        return taken
    magic, version, _ = struct.unpack("<8sII", take(16))
    if magic != b"WMSTR\r\n\x1a" or version != 1: raise ValueError("not a stream of records of version 1")
    kind = None
    while kind != 4:
        kind, size = struct.unpack("<II", take(8))
        body = take(size)
        if kind == 1:
            connection, time, client, server, *ports, ip = struct.unpack("<Qq16s16sHHI", body)
            ends = [str(ipaddress.ip_address(end[:4] if ip == 4 else end)) for end in (client, server)]
            yield "opened", connection, time, *zip(ends, ports)
        elif kind == 2:
            connection, packet, reason, count = struct.unpack_from("<QQII", body)
            at, subs = 24 + 24 * count, []
            for offset, gap, length, side in struct.iter_unpack("<QQII", body[24:at]):
                subs.append((SIDES[side], offset, gap, body[at:at + length]))
                at += length
            yield "block", connection, REASONS[reason], packet, subs
        elif kind == 3:
            connection, last, buffered, reason = struct.unpack_from("<QqQQ", body)
            at, ways = 32, []
            for _ in SIDES:
                *counters, marks, gaps = struct.unpack_from("<10QII", body, at)
                ways.append((counters, marks, list(struct.iter_unpack("<QQ", body[at + 88:at + 88 + 16 * gaps]))))
                at += 88 + 16 * gaps
            yield "ended", connection, last, buffered, REASONS[reason], *ways
        elif kind == 4:
            yield "last", *struct.unpack("<QQ", body)
        elif kind == 5:
            yield "dropped", *struct.unpack("<QQQ", body)


def streams_at(path):
    """Yields the streams of those who connect at a socket, one after the other."""
    if os.path.exists(path) and stat.S_ISSOCK(os.stat(path).st_mode): os.unlink(path)  # of an earlier run
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        server.listen()
        while True:
            connection, _ = server.accept()
            with connection, connection.makefile("rb") as stream: yield stream


if __name__ == "__main__":
    for stream in streams_at(sys.argv[1]) if sys.argv[1:] else [sys.stdin.buffer]:
        try:
            for record in records(stream): print(*record, flush=len(sys.argv) > 1)  # of live ones at once
        except EOFError as error:
            print(error, file=sys.stderr)
            if not sys.argv[1:]: sys.exit(1)
