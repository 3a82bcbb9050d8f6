"""The series, each of captures and settings where one thing changes. A generator gives the points that can be measured
in turns, and deletes their captures when it is asked for the next.
"""
import os, shutil
from collections import namedtuple

from common import capture
from point import Point
from splitter import split

IDLE_TIMEOUT = 300                      # seconds, warpmeter's default: so long a flow is alive after its last packet
FLOWS_PER_PACKET = {100: 0.038, 8: 0.29}  # by traffic_gen's --mean-packets, as came out; only aims --rate
SNAPLEN = 96

Series = namedtuple('Series', 'name words axis points')


def steady(options, folder, name, packets, live, mean):
    """A capture with about so many flows alive at once from soon after its begin to its end, however long it is: packet
    time stretches until those that end balance those that begin. traffic_gen wants at most 5 s between the packets of a
    connection, which gives 10 s of flows (two a connection) for every packet a second.
    """
    rate = live / (10 + IDLE_TIMEOUT * FLOWS_PER_PACKET[mean])
    made = capture.generate(options.build, os.path.join(folder, name + '.pcap'), {
        'packets': packets, 'flows': max(1, int(5 * rate)), 'rate': f'{rate:.3f}', 'mean_packets': mean,
        'snaplen': SNAPLEN})
    return made, alive(made, rate)


def alive(made, rate):
    """Flows of the connections that go on, and those that ended less than the idle timeout ago."""
    seconds, flows = made.packets / rate, made.truth['flows']
    return min(flows, round(2 * made.truth['options']['flows'] + flows * min(1, IDLE_TIMEOUT / seconds)))


def packets(options, folder):
    for count in options.sizes['packets']:
        made, live = steady(options, folder, 'packets', count, options.sizes['few live'], 100)
        yield [Point(f'{count:,}', count, made.path, made, live)]
        os.remove(made.path)


def live(options, folder):
    for target in options.sizes['live']:
        made, at_once = steady(options, folder, 'live', options.sizes['live packets'], target, 8)
        yield [Point(f'{target:,}', target, made.path, made, at_once)]
        os.remove(made.path)


def threads(options, folder):
    made, at_once = steady(options, folder, 'threads', options.sizes['fixed packets'], options.sizes['few live'], 100)
    yield [Point(f'{count}{"" if count <= os.cpu_count() else ": more than cores"}', count, made.path, made, at_once,
                 count) for count in options.sizes['threads']]
    os.remove(made.path)


def files(options, folder):
    made, at_once = steady(options, folder, 'files', options.sizes['fixed packets'], options.sizes['few live'], 100)
    folders = split(made.path, made.packets, options.sizes['files'], folder)
    os.remove(made.path)
    yield [Point(f'{count:,}', count, path, made, at_once) for count, path in folders.items()]
    for path in folders.values(): shutil.rmtree(path)


# Seconds for a million packets: of one run, by series (the report in results/), and to make a capture.
SECONDS = {'packets': 0.05, 'live': 0.21, 'threads': 0.06, 'files': 0.06}
MAKING = 1.0


def points_of(options):
    """-> {series: packets of each of its points}"""
    sizes = options.sizes
    found = {'packets': sizes['packets'], 'live': [sizes['live packets']] * len(sizes['live']),
             'threads': [sizes['fixed packets']] * len(sizes['threads']),
             'files': [sizes['fixed packets']] * len(sizes['files'])}
    return {name: found[name] for name in options.series}


def packets_in_all(options): return {name: sum(found) for name, found in points_of(options).items()}


def packets_at_once(options):
    """What lies in the folder for captures together: of most series one point, of files all and the whole one."""
    return {name: sum(found) + found[0] if name == 'files' else max(found)
            for name, found in points_of(options).items()}


ALL = {series.name: series for series in (
    Series('packets', '''the same number of flows alive at once, in longer and longer captures; the number of Flow
           Records grows with the packets''', 'packets', packets),
    Series('live', '''packets, packets of a connection and Flow Records are about the same at every point, only packet
           time differs: the same connections, more and more of them at once. Were packet time the same, fewer live
           flows would mean longer and fewer flows, and writing Flow Records would be measured instead''',
           'flows alive at once', live),
    Series('threads', 'the same capture', 'threads', threads),
    Series('files', 'the same packets, in files that follow each other', 'files', files))}
