"""Bytes over several TCP connections at once, whose sums are compared.

    transfer.py receive ADDRESS READY CONNECTIONS BYTES [--both]     READY: a file that gets the port
    transfer.py send ADDRESS PORT CONNECTIONS BYTES [--both]

Each connection sends BYTES of its own, gets their SHA-256 back, and with --both as many bytes and their sum."""
import hashlib, os, random, socket, sys, threading

PIECE = 1 << 18


def pieces(number, size):
    """Other ones in each connection."""
    block = random.Random(number).randbytes(PIECE + 4093)
    for at in range(0, size, PIECE):
        begin = at // PIECE % 4093
        yield block[begin:begin + min(PIECE, size - at)]


def send(sock, number, size):
    summed = hashlib.sha256()
    for piece in pieces(number, size):
        sock.sendall(piece)
        summed.update(piece)
    return summed.digest()


def read(sock, size):
    while size:
        piece = sock.recv(min(size, PIECE))
        if not piece: raise EOFError('the connection has ended early')
        size -= len(piece)
        yield piece


def read_sum(sock, size):
    summed = hashlib.sha256()
    for piece in read(sock, size): summed.update(piece)
    return summed.digest()


def serve(sock, size, both):
    number = int.from_bytes(b''.join(read(sock, 4)), 'big')
    sock.sendall(read_sum(sock, size))
    if both: sock.sendall(send(sock, number + 1000, size))
    sock.close()


def ask(address, port, number, size, both):
    with socket.create_connection((address, port), timeout=100) as sock:
        sock.sendall(number.to_bytes(4, 'big'))
        sent = send(sock, number, size)
        if b''.join(read(sock, 32)) != sent: raise ValueError(f'connection {number}: other bytes have come')
        if both and read_sum(sock, size) != b''.join(read(sock, 32)): raise ValueError(f'connection {number}: back')


def in_threads(works):
    failures = []

    def safely(work):
        try: work()
        except Exception as error: failures.append(repr(error))
    threads = [threading.Thread(target=safely, args=(work,)) for work in works]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    if failures: sys.exit('; '.join(failures))


def main():
    what, address, where, connections, size = sys.argv[1:6]
    connections, size, both = int(connections), int(size), '--both' in sys.argv
    if what == 'send':
        return in_threads([lambda n=n: ask(address, int(where), n, size, both) for n in range(connections)])
    family = socket.AF_INET6 if ':' in address else socket.AF_INET
    listener = socket.create_server((address, 0), family=family, backlog=connections)
    with open(where + '.new', 'w') as ready: ready.write(str(listener.getsockname()[1]))
    os.rename(where + '.new', where)
    in_threads([lambda: serve(listener.accept()[0], size, both) for _ in range(connections)])


if __name__ == '__main__': main()
