"""The plots beside the paper's Figures 11 to 14."""
import published
from common.svg import COLORS, INK, Canvas, Panel, share_bars, value_bars

OURS, THEIRS = COLORS[0], '#b9bdc2'


def packets_text(packets):
    if packets >= 1e6: return f'{packets / 1e6:.3g} M'
    return f'{packets / 1e3:.3g} K' if packets >= 1e3 else str(packets)


def round_numbers(low, high):
    """1, 2, 5, 10, 20, ... between the two."""
    found = (digit * 10 ** power for power in range(12) for digit in (1, 2, 5))
    return [(n, packets_text(n)) for n in found if low <= n <= high]


def gigabytes_of_card(low, trace_packets):
    """Ticks for memory of the paper's card, at the block that is the same part of our trace as it held of theirs."""
    whole = published.TRACES['D'].packets * published.BYTES_PER_PACKET / 1e9
    ticks = [(g / whole * trace_packets, f'{g:g}') for g in (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 4, 6, 12)]
    return [tick for tick in ticks if tick[0] >= low] + [(trace_packets, f'{whole:.1f}')]


def draw_undetected(panel, sweep, floor, trace_packets):
    panel.level(floor, COLORS[3], '6 4')
    panel.level(0, COLORS[2])
    panel.curve(sweep, OURS)
    for gigabytes, undetected in ((4, published.UNDETECTED_AT_4_GB), (6, published.UNDETECTED_AT_6_GB)):
        share = gigabytes * 1e9 / published.BYTES_PER_PACKET / published.TRACES['D'].packets
        panel.canvas.dot(panel.x(share * trace_packets), panel.y(undetected), INK, 5, hollow=True)


def undetected(sweep, floor, trace_packets):
    """Fig. 11. `sweep`: [(packets in a block, share of retransmissions not found)], rising."""
    canvas = Canvas(820, 780, 'Retransmissions not found, by size of the memory block (Fig. 11, trace D)')
    x = 20
    for color, words in ((OURS, 'five-tuple'), (COLORS[2], 'exact'),
                         (COLORS[3], 'planted structural: lower bound of five-tuple')):
        x = canvas.swatch(x, 56, color, words)
    canvas.dot(x + 6, 52, INK, 5, hollow=True)
    canvas.text(x + 16, 56, 'published, 4 and 6 GB')
    x_range = (sweep[0][0], sweep[-1][0])
    upper = Panel(canvas, (80, 120, 710, 250), x_range, 1)
    upper.y_axis([i / 5 for i in range(6)], '{:.0%}'.format, 'not found')
    upper.x_axis(gigabytes_of_card(x_range[0], trace_packets),
                 "GB of the paper's card for the same part of its 200 M packets", above=True)
    lower = Panel(canvas, (80, 410, 710, 290), x_range, 0.1)
    lower.y_axis([i / 50 for i in range(6)], '{:.0%}'.format, 'not found, up to 10 %')
    lower.x_axis(round_numbers(*x_range), f'packets in a block (the trace has {packets_text(trace_packets)})')
    for panel in (upper, lower): draw_undetected(panel, sweep, floor, trace_packets)
    return canvas


def stage_shares(costs):
    """Fig. 12."""
    return share_bars('Share of the time of each stage (Fig. 12)', {c.label: c.stages for c in costs},
                      'Seconds of all threads. The published figure has its numbers in the picture alone.')


def cores_at_published_speed(cost, packets): return cost.cpu / packets * published.PACKETS_PER_SECOND


def published_bars(cpu, gpu): return [('published, CPU', cpu, THEIRS), ('published, GPU + CPU', gpu, THEIRS)]


def cores(costs, packets):
    """Fig. 13."""
    bars = published_bars(published.CPU_CORES, published.GPU_CORES)
    bars += [(c.label, cores_at_published_speed(c, packets), OURS) for c in costs]
    return value_bars('Processor cores for 4.4 M packets/s (Fig. 13)', bars, 'cores',
                      'Ours: CPU seconds a packet, of all threads, times 4.4 M. Published: measured on a Xeon X5650.')


def memory(costs):
    """Fig. 14."""
    bars = published_bars(published.CPU_GIGABYTES, published.GPU_GIGABYTES)
    bars += [(f'{c.label}{how}', peak / 1e9, OURS) for c in costs for how, peak in
             ((', file mapped', c.peak), (', through a pipe', c.peak_piped))]
    note = 'Ours: resident set, with a smaller trace and block. Pages of a mapped file in the page cache count.'
    return value_bars('Memory at the peak (Fig. 14)', bars, 'GB', note)
