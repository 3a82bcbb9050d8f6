"""A cable that is not a good one: bad_wire.py IFACE IFACE READY [SEED]. Frames of each go out of the other; of a
hundred that have more than 200 bytes one is lost, one comes twice, and one later than the three behind it.
Ends with SIGTERM."""
import random, select, signal, socket, struct, sys

SOL_PACKET, PACKET_IGNORE_OUTGOING, ALL = 263, 23, 3
LATE, SMALL = 3, 200


def opened(interface):
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    sock.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUFFORCE if hasattr(socket, 'SO_RCVBUFFORCE') else 33, 16 << 20)
    sock.bind((interface, ALL))
    return sock


def main():
    chance = random.Random(int(sys.argv[4]) if sys.argv[4:] else 1)
    a, b = (opened(name) for name in sys.argv[1:3])
    other, late = {a: b, b: a}, {a: [], b: []}
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    open(sys.argv[3], 'w').close()
    while True:
        for sock in select.select([a, b], [], [], 0.05)[0]:
            frame = sock.recv(65536)
            fate = chance.randrange(100) if len(frame) > SMALL else 99
            late[sock] = [(left - 1, waiting) for left, waiting in late[sock]]
            if fate == 0: continue
            if fate == 1: late[sock].append((LATE, frame))
            else:
                for _ in range(2 if fate == 2 else 1): other[sock].send(frame)
            while late[sock] and late[sock][0][0] <= 0: other[sock].send(late[sock].pop(0)[1])


if __name__ == '__main__': main()
