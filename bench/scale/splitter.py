"""Splits a capture into pieces that follow each other in time, each a pcap file with a header of its own."""
import mmap, os, struct

from common.capture import FILE_HEADER, RECORD_HEADER


def bounds(data, packets, pieces):
    """Where pieces begin, and the end. REQUIRES: a little-endian pcap of `packets` packets."""
    begins, at, captured = [], FILE_HEADER, struct.Struct('<I').unpack_from
    wanted = [packets * piece // pieces for piece in range(pieces)]
    for number in range(packets):
        if len(begins) < pieces and number == wanted[len(begins)]: begins.append(at)
        at += RECORD_HEADER + captured(data, at + 8)[0]
    return begins + [at]


def split(path, packets, counts, folder):
    """A folder for each count. Every count must divide the largest. -> {count: folder}"""
    most, folders = max(counts), {}
    with open(path, 'rb') as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        ends = bounds(data, packets, most)
        for count in counts:
            folders[count] = os.path.join(folder, f'{count}-files')
            os.makedirs(folders[count])
            step = most // count
            for piece in range(count):
                with open(os.path.join(folders[count], f'{piece:06}.pcap'), 'wb') as out:
                    out.write(data[:FILE_HEADER])
                    out.write(data[ends[piece * step]:ends[(piece + 1) * step]])
    os.sync()       # not while times are taken
    return folders
