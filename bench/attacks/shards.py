"""Which shard meters an IPv4 flow: what include/core/flow_hash.h does, for who wants them all in one."""
MASK = (1 << 64) - 1
START = 0xd6e8feb86659fd93


def swapped(number, size): return int.from_bytes(number.to_bytes(size, 'big'), 'little')


def shard_of(source, source_port, destination, destination_port, protocol=6):
    start = START + protocol + (4 << 24)
    ends = [(swapped(address, 4) + (swapped(port, 2) << 32) + start) & MASK
            for address, port in ((source, source_port), (destination, destination_port))]
    product = ends[0] * ends[1]
    return ((product ^ product >> 64) >> 32) % 64


def in_one(count, shard=0):
    """`count` pairs (source, source port) whose flows to the usual server meet there."""
    found, number = [], 0
    while len(found) < count:
        number += 1
        source, port = 0x0a000000 + number // 50000, 1024 + number % 50000
        if shard_of(source, port, 0xc0000201, 443) == shard: found.append((source, port))
    return found


def room_of_one(memory, state=160, entry=4):
    """The flows that a shard holds under --memory: what src/flow/meter/flow_table.cc does."""
    memory = (memory - memory // 4) // 64 // 16 * 15
    def beside(index): return min(index // 4 * 3, max(0, memory - index * entry * 3 // 2) // state)
    index = 64
    while beside(2 * index) > beside(index): index *= 2
    return beside(index)
