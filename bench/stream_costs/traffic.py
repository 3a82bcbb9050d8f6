"""The captures: TCP over IPv4 without faults, a thousand connections at once."""
import json, os, subprocess
from collections import namedtuple

from common import ready

CLEAN = ['--clean', '--ipv6', '0', '--vlan', '0', '--udp', '0', '--icmp', '0', '--reset', '0', '--port-reuse', '0',
         '--mid-stream', '0', '--microseconds']
FILE_HEADER, RECORD_HEADER = 24, 16

# frame_bytes: of all frames, without record headers; late: share of data segments that came out of order.
Capture = namedtuple('Capture', 'path packets frame_bytes payload_bytes connections late')


def options_of(size, mean_packets=100, late=0, flows=1000):
    return ['--frame-size', str(size), '--flows', str(flows), '--mean-packets', str(mean_packets), '--reorder',
            str(late)]


def write(build, path, options, packets):
    truth = path + '.json'
    generator = os.path.join(build, ready.PROGRAMS['traffic_gen'])
    words = [generator, *CLEAN, *options, '--packets', str(packets), '-o', path, '--truth', truth]
    subprocess.run(words, check=True, stderr=subprocess.PIPE, text=True, errors='replace')
    with open(path, 'rb') as file: os.fsync(file.fileno())      # not while times are taken
    with open(truth) as file: planted = json.load(file)
    os.remove(truth)
    totals = planted['totals']
    frame_bytes = os.path.getsize(path) - FILE_HEADER - RECORD_HEADER * planted['frames']
    return Capture(path, planted['frames'], frame_bytes, totals['payload_bytes'], planted['connections']['tcp'],
                   totals['out_of_order_segments'] / max(totals['data_segments'], 1))


def make(build, folder, name, options, size_bytes):
    """A capture of about so many bytes; how many packets these are, a shorter one tells."""
    path = os.path.join(folder, name + '.pcap')
    sample = write(build, path, options, max(size_bytes // 2000, 1000))
    packets = max(1, round(size_bytes / (RECORD_HEADER + sample.frame_bytes / sample.packets)))
    return write(build, path, options, packets)
