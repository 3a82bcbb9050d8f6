"""Bytes over several TCP connections, as fast as they go.

    flood.py receive ADDRESS      prints its port; then, of each line that it reads, bytes that have come, and the time
    flood.py send ADDRESS PORT CONNECTIONS SECONDS
"""
import os, selectors, socket, sys, time

PIECE = 1 << 20


def receive(address):
    listener = socket.create_server((address, 0), backlog=1024)
    print(listener.getsockname()[1], flush=True)
    wait, buffer, got = selectors.DefaultSelector(), bytearray(PIECE), 0
    os.set_blocking(0, False)
    wait.register(listener, selectors.EVENT_READ)
    wait.register(0, selectors.EVENT_READ)
    while True:
        for key, _ in wait.select():
            if key.fileobj == 0:
                if not os.read(0, 100): return
                print(got, time.monotonic(), flush=True)
            elif key.fileobj is listener: wait.register(listener.accept()[0], selectors.EVENT_READ)
            else:
                try: size = key.fileobj.recv_into(buffer)
                except OSError: size = 0
                got += size
                if size == 0:
                    wait.unregister(key.fileobj)
                    key.fileobj.close()


def send(address, port, connections, seconds):
    wait, piece, end = selectors.DefaultSelector(), bytes(PIECE), time.monotonic() + seconds
    for _ in range(connections):
        sock = socket.create_connection((address, port))
        sock.setblocking(False)
        wait.register(sock, selectors.EVENT_WRITE)
    while time.monotonic() < end:
        for key, _ in wait.select(0.1):
            try: key.fileobj.send(piece)
            except BlockingIOError: pass


if __name__ == '__main__':
    if sys.argv[1] == 'receive': receive(sys.argv[2])
    else: send(sys.argv[2], *map(int, sys.argv[3:5]), float(sys.argv[5]))
