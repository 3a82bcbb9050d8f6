"""tcptrace: everything it knows of every TCP connection, as CSV."""
import csv, os

from candidate import Candidate, Counts, number_after


class Tcptrace(Candidate):
    name = peer = program = 'tcptrace'
    asks_version = ['-version']
    slow = True
    tells_retransmissions = True
    other_fields = ('hardware dups',)
    flow_unit = 'connections'

    def command(self, capture, folder): return ['tcptrace', '-n', '-l', '--csv', capture]

    def counts(self, capture, folder):
        """Of its columns, summed over both directions."""
        said, header, sums = '', None, {'rexmt_data_pkts': 0, 'hardware_dups': 0}
        with open(os.path.join(folder, 'stdout'), errors='replace', newline='') as file:
            for row in csv.reader(file):
                if row and row[0].startswith('#'): said += ','.join(row) + '\n'
                elif row and header is None: header = [name.strip() for name in row]
                elif row:
                    for name in sums:
                        for way in ('_a2b', '_b2a'): sums[name] += int(row[header.index(name + way)])
        return Counts(number_after(r'(\d+) packets seen', said), number_after(r'(\d+) TCP connections? traced', said),
                      {'rexmt data pkts': sums['rexmt_data_pkts'], 'hardware dups': sums['hardware_dups']})
