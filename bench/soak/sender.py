"""sender.py INTERFACE RATE SECONDS CAPTURE...: sends the frames of pcap files, one file after the other and again, RATE
a second, each when it is due. Prints one line of JSON: how many, how many of them the system dropped on the way, and
how far behind it was at worst.

What is late is sent at once, but no more than the backlog of a CPU takes (1,000 packets): of a veth interface the
system drops the others. SIGTERM ends it, too. Needs CAP_NET_RAW.
"""
import errno, itertools, json, os, signal, socket, struct, sys, time

TICK = 0.002
AT_ONCE = 250                # frames between two looks at the backlog
BACKLOG, CPU = 11, 12        # columns of softnet_stat, hexadecimal; Linux 5.14 and later


def frames_of(path):
    with open(path, 'rb') as file: data = file.read()
    at = 24
    while at < len(data):
        length = struct.unpack('<I', data[at + 8:at + 12])[0]
        yield data[at + 16:at + 16 + length]
        at += 16 + length


def backlog(cpu):
    with open('/proc/net/softnet_stat') as file: rows = [line.split() for line in file]
    return sum(int(row[BACKLOG], 16) for row in rows if len(row) > CPU and int(row[CPU], 16) == cpu)


def drops(interface):
    with open('/proc/net/dev') as file:
        for line in file:
            name, _, numbers = line.partition(':')
            if name.strip() == interface: return int(numbers.split()[11])
    raise SystemExit(f'{interface} is gone')


def send(wire, frame):
    while True:
        try: return wire.send(frame)
        except OSError as error:
            if error.errno != errno.ENOBUFS: raise
            time.sleep(0.001)


def main():
    interface, rate, seconds = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
    frames = itertools.cycle([list(frames_of(path)) for path in sys.argv[4:]])
    ended = []
    signal.signal(signal.SIGTERM, lambda *_: ended.append(True))
    cpu = min(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cpu})  # the backlog that fills is that of this CPU
    before = drops(interface)
    wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    wire.bind((interface, 0))
    sent, behind, some, at = 0, 0.0, [], 0
    begin = time.monotonic()
    while not ended and (now := time.monotonic() - begin) < seconds:
        due = min(int(now * rate), sent + AT_ONCE)
        behind = max(behind, now - sent / rate)
        while sent < due:
            if at == len(some): some, at = next(frames), 0
            send(wire, some[at])
            sent, at = sent + 1, at + 1
        while backlog(cpu) > AT_ONCE: time.sleep(0.0005)
        if sent >= int((time.monotonic() - begin) * rate): time.sleep(TICK)
    took = time.monotonic() - begin
    while backlog(cpu): time.sleep(0.0005)
    print(json.dumps({'sent': sent, 'dropped': drops(interface) - before, 'seconds': took, 'most_behind': behind}))


if __name__ == '__main__': main()
