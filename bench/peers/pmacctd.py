"""pmacctd with the plugin that prints its flows, as CSV."""
import csv, os

from candidate import Candidate, Counts

# Buffers between its two processes, and the table, are raised until no packet is lost, as CONFIG-KEYS tells to.
SETTINGS = '''daemonize: false
pcap_savefile: {capture}
aggregate: src_host,dst_host,src_port,dst_port,proto
plugins: print
plugin_buffer_size: 1024000
plugin_pipe_size: 102400000
print_cache_entries: 200003
print_output: csv
print_output_file: {folder}/flows.csv
'''


class Pmacctd(Candidate):
    name = peer = program = 'pmacctd'
    asks_version = ['-V']
    slow = True
    note = '''pmacctd waits some seconds before and after a file, which are in its wall time. Most of its memory is the
        table of its print plugin, raised (`print_cache_entries: 200003`) so that it is written only once: beyond about
        eleven flows an entry it is written in between, and packets are missing in its output. Its CPU seconds are those
        of both processes, its peak that of the larger one.'''

    def command(self, capture, folder):
        path = os.path.join(folder, 'pmacctd.conf')
        with open(path, 'w') as file: file.write(SETTINGS.format(capture=capture, folder=folder))
        return ['pmacctd', '-f', path]

    def counts(self, capture, folder):
        with open(os.path.join(folder, 'flows.csv'), newline='') as file:
            packets = [int(row['PACKETS']) for row in csv.DictReader(file) if row['PACKETS'].isdigit()]
        return Counts(sum(packets), len(packets))
