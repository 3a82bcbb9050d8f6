"""What must hold of a live capture that went on, and what its memory was meanwhile."""
import csv, os, re, statistics, subprocess

CLOCK = os.sysconf('SC_CLK_TCK')
FLAT_SHARE, FLAT_BYTES = 0.02, 4 << 20  # what memory may grow from the second quarter of the time to the last
FEWEST_SAMPLES = 40                     # with fewer, it says nothing about growing
QUANTILE = 0.999


def sample(pid):
    """-> resident bytes, open files, CPU seconds; nothing of a process that has ended"""
    try:
        with open(f'/proc/{pid}/status') as file: resident = re.search(r'VmRSS:\s+(\d+)', file.read())
        with open(f'/proc/{pid}/stat') as file: ticks = [int(n) for n in file.read().rsplit(')', 1)[1].split()[11:13]]
        files = len(os.listdir(f'/proc/{pid}/fd'))
    except (FileNotFoundError, ProcessLookupError): return {}
    if not resident: return {}
    return {'resident': int(resident[1]) * 1024, 'files': files, 'user': ticks[0] / CLOCK, 'kernel': ticks[1] / CLOCK}


class Found:
    """What one run gave. `sent`: what the sender said; `stats`: what --stats wrote; `records`: what came to collect."""
    def __init__(self, options, sent, status, stats, records, samples, files, words):
        self.options, self.sent, self.status, self.stats, self.records = options, sent, status, stats, records
        self.samples = [s for s in samples if 'resident' in s]
        self.folder, self.words, self.files = files, words, []

    def rings(self, name): return sum(ring[name] for ring in self.stats['capture']['rings'])

    def lost_by_interface(self): return sum(i['lost by the interface'] for i in self.stats['capture']['interfaces'])

    def growth(self):
        """-> (bytes in the second quarter, bytes in the last), medians; None if too short"""
        if len(self.samples) < FEWEST_SAMPLES: return None
        quarter = len(self.samples) // 4
        resident = [s['resident'] for s in self.samples]
        return statistics.median(resident[quarter:2 * quarter]), statistics.median(resident[-quarter:])

    def broken(self, program, scratch):
        """One line for everything that does not hold."""
        if self.status != bool(self.lost('records')) or self.stats is None:
            return [f'warpmeter live ended with status {self.status}: {self.words.strip().split(chr(10))[-1]}']
        return [*self.wrong_sums(), *self.wrong_files(program, scratch), *self.wrong_loss(), *self.late(),
                *self.growing()]

    def lost(self, what):
        """Of what was to be in the files: 'records' or 'packets' that are counted as lost."""
        return sum(o['lost ' + what] for o in self.stats['outputs']) if self.stats else 0

    def wrong_loss(self):
        rows = sum(count for _, count, _ in self.files)
        if rows + self.lost('records') != self.stats['rows']:
            yield f'{self.stats["rows"]} Flow Records, {rows} in the files and {self.lost("records")} lost'
        if not self.options.fill_disk:
            if self.lost('records'): yield f'{self.lost("records")} Flow Records were not written'
        elif not self.lost('records'): yield 'nothing was lost, so the disk was never full'
        elif self.words.count('the next file is tried again') != self.words.count('is written again'):
            yield 'the last file is not whole'

    def wrong_sums(self):
        s, metered, ignored = self.stats, self.stats['packets metered'], sum(self.stats['ignored'].values())
        offered, full = self.rings('offered'), self.rings('lost because it was full')
        if self.sent['dropped'] != 0: yield f'the sender\'s interface dropped {self.sent["dropped"]} packets'
        if self.sent['sent'] != offered + self.lost_by_interface():
            yield (f'{self.sent["sent"]} packets sent, {offered} offered to rings, {self.lost_by_interface()} lost by '
                   'the interface')
        if offered != metered + ignored + full:
            yield f'{offered} offered, {metered} metered + {ignored} ignored + {full} lost'
        if self.records.broken: yield f'the collector: {self.records.broken}'
        if (self.records.packets, self.records.records) != (metered, s['rows']):
            yield (f'{metered} packets metered in {s["rows"]} records, {self.records.packets} in '
                   f'{self.records.records} came to the collector')

    def wrong_files(self, program, scratch):
        packets = 0
        for name in sorted(os.listdir(self.folder)):
            path = os.path.join(self.folder, name)
            if not re.fullmatch(r'flows\.\d{8}T\d{6}Z\.csv', name):
                yield f'{name} was left behind'
                continue
            with open(path, newline='') as file: of_file = [int(row['packets']) for row in csv.DictReader(file)]
            self.files.append((name, len(of_file), sum(of_file)))
            packets += sum(of_file)
            if not of_file: yield f'{name} has no Flow Records'
            again = os.path.join(scratch, 'sorted.csv')
            subprocess.run([program, 'show', '-q', path, '-o', again], check=True)
            with open(path, 'rb') as a, open(again, 'rb') as b:
                if a.read() != b.read(): yield f'{name} is not sorted'
        if packets + self.lost('packets') != self.stats['packets metered']:
            yield (f'{self.stats["packets metered"]} packets metered, {packets} in the files and '
                   f'{self.lost("packets")} lost')

    def late(self):
        latency, limit = self.records.quantile(QUANTILE), self.options.max_latency + self.options.slack
        if not self.records.measured(): yield 'no record whose latency could be measured'
        elif latency > limit:
            yield f'{100 * QUANTILE:g} % of the records within {latency:.3f} s, the limit is {limit:.3f} s'

    def growing(self):
        if (growth := self.growth()) is None: return
        before, after = growth
        if after - before > max(FLAT_SHARE * before, FLAT_BYTES):
            yield f'memory grows: {before / 2**20:.1f} MiB in the second quarter, {after / 2**20:.1f} in the last'
