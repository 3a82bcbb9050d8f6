"""A meter's Flow Records against the planted truth, flow by flow, as the paper compares.

Misses and inventions are counted per flow and never set off against each other across flows. A flow is missed if it has
retransmissions and none was found: only this reading fits Table 2, where 604 flows with 73 false negatives leave 531.
"""
from collections import namedtuple

from published import Accuracy

# heavy: the flows with more than 5 retransmissions, in more than 5 % of their packets. keep_alive: invented segments in
# flows with keep-alives. rows: flows whose Flow Record is not there, or is not planted.
Comparison = namedtuple('Comparison', 'flows segments heavy keep_alive duplicates_wrong rows_wrong counters_wrong')

FLAGS = {'SYN': 'syn_count', 'FIN': 'fin_count', 'RST': 'rst_count', 'zero window': 'zero_window_count'}


def flow_accuracy(values):
    return Accuracy(sum(f > 0 for _, f in values), sum(t > 0 for t, _ in values),
                    sum(t > 0 and f == 0 for t, f in values), sum(t == 0 and f > 0 for t, f in values))


def segment_accuracy(values):
    return Accuracy(sum(f for _, f in values), sum(t for t, _ in values),
                    sum(max(t - f, 0) for t, f in values), sum(max(f - t, 0) for t, f in values))


def compare(truth, found):
    planted, metered = truth.column('retransmitted_segments'), found.column('retransmitted_segments')
    packets, keep_alives = truth.column('packets'), truth.column('keep_alive_segments')
    duplicates, marked = truth.column('duplicate_packets'), found.column('duplicate_packets')
    shared = truth.flows.keys() & found.flows.keys()
    again = [(planted[k], metered[k]) for k in shared]
    return Comparison(
        flow_accuracy(again), segment_accuracy(again),
        heavy=flow_accuracy([(planted[k], metered[k]) for k in shared if planted[k] > max(5, 0.05 * packets[k])]),
        keep_alive=sum(max(metered[k] - planted[k], 0) for k in shared if keep_alives[k]),
        duplicates_wrong=sum(duplicates[k] != marked[k] for k in shared),
        rows_wrong=len(truth.flows.keys() ^ found.flows.keys()),
        counters_wrong=sum(truth.flows[k] != found.flows[k] for k in shared))


def by_endpoints(rows):
    """Sums over all flows with the same addresses and ports, as --aggregate. -> {endpoints: counters}"""
    sums = {}
    for key, values in rows.flows.items():
        before = sums.get(key[:5])
        sums[key[:5]] = tuple(map(sum, zip(before, values))) if before else values
    return sums


def compare_flags(truth, found):
    """-> {flag: (records with it, records that differ, records an 8-bit counter would get wrong)}"""
    planted, metered = by_endpoints(truth), by_endpoints(found)
    result = {}
    for flag, name in FLAGS.items():
        t, f = truth.names.index(name), found.names.index(name)
        counts = [(values[t], metered[key][f] if key in metered else None) for key, values in planted.items()]
        result[flag] = (sum(t > 0 for t, _ in counts), sum(t != f for t, f in counts), sum(t > 255 for t, _ in counts))
    return result
