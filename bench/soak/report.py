"""The report of bench/soak/run: what was sent and became of it, memory, latency."""
import json, os

from common import command_line, machine, markdown


def mebibytes(count): return f'{count / 2**20:.1f} MiB'


def rows(found):
    sent, stats, records = found.sent, found.stats, found.records
    yield 'sent', f'{sent["sent"]:,} packets in {sent["seconds"]:.1f} s, {sent["sent"] / sent["seconds"]:,.0f} a second'
    yield 'offered to rings', f'{found.rings("offered"):,}'
    yield 'metered', f'{stats["packets metered"]:,}'
    yield 'ignored', f'{sum(stats["ignored"].values()):,}'
    yield 'lost', (f'{found.rings("lost because it was full"):,} because a ring was full, '
                   f'{found.lost_by_interface():,} by the interface')
    yield 'Flow Records', f'{stats["rows"]:,} with {records.packets:,} packets, in {len(found.files)} files'
    if found.options.fill_disk:
        files = sum(o['files not complete'] for o in stats['outputs'])
        yield 'disk', (f'full {found.options.times_full} times for {found.options.fill_disk} s: '
                       f'{found.lost("records"):,} Flow Records with {found.lost("packets"):,} packets are counted as '
                       f'lost, of {files} files that are not complete, or not there')
    yield 'latency', (f'99 % within {records.quantile(0.99):.3f} s, 99.9 % within {records.quantile(0.999):.3f} s, all '
                      f'within {records.latest:.3f} s (`--max-latency` {found.options.max_latency:g} s); '
                      f'{records.measured():,} records')
    if found.samples:
        resident, last = [s['resident'] for s in found.samples], found.samples[-1]
        yield 'memory', (f'{mebibytes(min(resident))} to {mebibytes(max(resident))} resident, '
                         f'{mebibytes(resident[-1])} at the end')
        cpu = last['user'] + last['kernel']
        yield 'CPU', (f'{1e9 * cpu / max(sent["sent"], 1):,.0f} ns a packet (user {last["user"]:.1f} s, kernel '
                      f'{last["kernel"]:.1f} s), of the meter\'s process alone')
        yield 'open files', f'at most {max(s["files"] for s in found.samples)}'
    if growth := found.growth():
        yield 'memory, medians', f'{mebibytes(growth[0])} in the second quarter, {mebibytes(growth[1])} in the last'


def text(found, broken):
    lines = ['# A live capture that goes on', '']
    lines += markdown.paragraph(f'`{command_line.typed("bench/soak/run")}`, {machine.describe()}. Late is what '
                                'comes to the collector after a flow\'s last packet and the idle timeout.')
    if found.stats: lines += markdown.table(['', ''], [list(row) for row in rows(found)])
    return lines + markdown.paragraph('Broken: ' + '; '.join(broken) if broken else
                                      'Sums are exact, with what is counted as lost, files are complete as far as the '
                                      'disk had room, and sorted, records came in time.' if found.options.fill_disk else
                                      'Sums are exact, files are complete and sorted, records came in time.')


def write(options, found, broken):
    lines = text(found, broken)
    if not options.out:
        print('\n'.join(lines))
        return
    markdown.save(os.path.join(options.out, 'report.md'), lines)
    with open(os.path.join(options.out, 'raw.json'), 'w') as file:
        latency = {str(share): found.records.quantile(share) for share in (0.5, 0.9, 0.99, 0.999, 1.0)}
        json.dump({'sent': found.sent, 'stats': found.stats, 'samples': found.samples, 'files': found.files,
                   'latency': latency, 'broken': broken}, file, indent=1)
