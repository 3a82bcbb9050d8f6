"""What nothing can be faster than, with one core: reading the file, following its record headers, and doing so while
counting the packets and bytes of each flow and nothing else. All read as warpmeter does."""
import os

from candidate import Candidate, Counts, number_after, text_of


class Floor(Candidate):
    flow_unit = ''

    def __init__(self, build, what):
        self.what, self.name, self.peer = what, f'{what}, 1 core', f'floor {what}'
        self.program = os.path.join(build, 'bench', 'floors')

    def installed(self): return os.access(self.program, os.X_OK)
    def version(self): return ''
    def command(self, capture, folder): return [self.program, self.what, capture]

    def counts(self, capture, folder):
        if self.what != 'read': return Counts(number_after(self.what + r': (\d+) packets', text_of(folder)), None)
        read = number_after(r'read: (\d+) bytes', text_of(folder))
        if read != os.path.getsize(capture): raise ValueError(f'read {read} bytes of {os.path.getsize(capture)}')
        return Counts(None, None)
