"""What is beside an example while it runs: frames on its interfaces, and collectors that it sends to."""
import contextlib, socket, struct, threading

from blocks import Failed


def frames_of(capture):
    """Of a pcap file of this machine's byte order."""
    at = 24
    while at < len(capture):
        length = struct.unpack_from('=I', capture, at + 8)[0]
        yield capture[at + 16:at + 16 + length]
        at += 16 + length


@contextlib.contextmanager
def frames_on(interfaces, capture):
    """The frames of a capture come to these interfaces, again and again."""
    frames, enough = list(frames_of(capture)), threading.Event()

    def send():
        with contextlib.ExitStack() as opened:
            wires = [opened.enter_context(socket.socket(socket.AF_PACKET, socket.SOCK_RAW)) for _ in interfaces]
            for wire, name in zip(wires, interfaces): wire.bind((f'of-{name}', 0))
            while not enough.wait(0.1):
                for wire in wires:
                    for frame in frames:
                        with contextlib.suppress(OSError): wire.send(frame)  # the backlog is full, or nobody is there

    sender = threading.Thread(target=send)
    sender.start()
    try: yield
    finally:
        enough.set()
        sender.join()


@contextlib.contextmanager
def collectors():
    """Whatever is sent to the ports of IPFIX and NetFlow is read to its end. Fails if nothing came."""
    enough, bytes_read, threads = threading.Event(), [], []

    def read(one):
        with one:
            one.settimeout(0.1)
            while True:
                try: data = one.recv(1 << 16)
                except TimeoutError:
                    if enough.is_set(): return
                    continue
                if not data: return
                bytes_read.append(len(data))

    def accept(server):
        with server:
            server.settimeout(0.1)
            while not enough.is_set():
                with contextlib.suppress(TimeoutError): begin(read, server.accept()[0])

    def begin(what, one):
        threads.append(threading.Thread(target=what, args=(one,)))
        threads[-1].start()

    for port in (4739, 2055):
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.bind(('127.0.0.1', port))
        begin(read, udp)
        begin(accept, socket.create_server(('127.0.0.1', port)))
    try: yield
    finally:
        enough.set()
        while threads: threads.pop().join()
    if not bytes_read: raise Failed('the collector got nothing')
