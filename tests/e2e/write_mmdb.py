#!/usr/bin/env python3
"""write_mmdb.py OUT TYPE: a database in MaxMind's format, of the lines of standard input: a prefix and a JSON object.

Written by the published description of the format (version 2.0): a binary tree of 24-bit records, data, metadata.
"""
import ipaddress
import json
import sys

MARK = b"\xab\xcd\xefMaxMind.com"
MAP, TEXT, UINT16, UINT32, UINT64, ARRAY = 7, 2, 5, 6, 9, 11


def control(kind, size):
    extended = b"" if kind < 8 else bytes([kind - 7])
    first = (kind << 5) if kind < 8 else 0
    if size < 29: return bytes([first | size]) + extended
    assert size < 29 + 256
    return bytes([first | 29]) + extended + bytes([size - 29])


def encoded(value, kind=UINT32):
    if isinstance(value, dict):
        return control(MAP, len(value)) + b"".join(encoded(k) + encoded(v) for k, v in value.items())
    if isinstance(value, list):
        return control(ARRAY, len(value)) + b"".join(encoded(v) for v in value)
    if isinstance(value, str): return control(TEXT, len(value.encode())) + value.encode()
    digits = value.to_bytes((value.bit_length() + 7) // 8, "big")
    return control(kind, len(digits)) + digits


def bits_of(prefix):
    """As in a tree of IPv6 addresses, where those of IPv4 are in ::/96."""
    network = ipaddress.ip_network(prefix)
    address, length = int(network.network_address), network.prefixlen + (96 if network.version == 4 else 0)
    return [address >> (127 - i) & 1 for i in range(length)]


def main():
    out, kind = sys.argv[1:]
    nodes, data = [[None, None]], b""
    for line in sys.stdin:
        prefix, told = line.split(None, 1)
        at, bits = 0, bits_of(prefix)
        for bit in bits[:-1]:
            if nodes[at][bit] is None:
                nodes.append([None, None])
                nodes[at][bit] = len(nodes) - 1
            at = nodes[at][bit]
        nodes[at][bits[-1]] = ("data", len(data))
        data += encoded(json.loads(told))
    count = len(nodes)

    def record(value):
        if value is None: value = count
        elif isinstance(value, tuple): value = count + 16 + value[1]
        return value.to_bytes(3, "big")

    tree = b"".join(record(left) + record(right) for left, right in nodes)
    about = [("node_count", count, UINT32), ("record_size", 24, UINT16), ("ip_version", 6, UINT16),
             ("database_type", kind, TEXT), ("languages", ["en"], ARRAY), ("binary_format_major_version", 2, UINT16),
             ("binary_format_minor_version", 0, UINT16), ("build_epoch", 1700000000, UINT64),
             ("description", {"en": "test"}, MAP)]
    metadata = control(MAP, len(about)) + b"".join(encoded(name) + encoded(value, kind) for name, value, kind in about)
    with open(out, "wb") as f: f.write(tree + bytes(16) + data + MARK + metadata)


main()
