"""softflowd, which can only send its flows: as NetFlow v9 to a port of this host."""
import re, socket

from candidate import Candidate, Counts, number_after, text_of


class Softflowd(Candidate):
    name = peer = program = 'softflowd'
    asks_version = ['-h']
    note = '''softflowd sends NetFlow v9 to a local port where nobody reads and the kernel drops what does not fit; its
        limit of live flows (8,192) is raised above what is there, because beyond it flows end early.'''

    def __init__(self):
        # Open as long as we are: without it every packet would be answered with "refused".
        self.sink = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.sink.bind(('127.0.0.1', 0))

    def command(self, capture, folder):
        return ['softflowd', '-r', capture, '-n', f'127.0.0.1:{self.sink.getsockname()[1]}', '-v', '9', '-6', '-d',
                '-c', 'none', '-m', '100000000']

    def counts(self, capture, folder):
        text = text_of(folder)
        return Counts(number_after(r'Packets processed: (\d+)', text), number_after(r'\((\d+) records\)', text))
