"""What tools/reproduce can make: the figures that pages quote, each with the command that makes it and what that takes.
A page names the entry of its figures in a comment behind them, as <!-- figures: peers -->."""
from dataclasses import dataclass

PEERS = ('nfpcapd', 'softflowd', 'argus', 'tcptrace', 'tshark', 'pmacctd')
CUDA_MACHINE = 'tests/simulator/warpmeter_on_machine'
PYTHON_PACKAGE = 'python/warpmeter/_extension*.so'


@dataclass(frozen=True)
class Entry:
    """Commands begin with a bench, a tool, or a program of common/ready.py. {out} is the folder for the report, {tmp}
    one for captures. What the last one prints goes to `printed`."""
    name: str
    what: str
    commands: tuple
    quick: tuple                # the same with the smallest sizes, and without a GPU
    seconds: float              # estimated, on two cores, once all is built; how.json has what it took
    printed: str = 'output.txt'
    programs: tuple = ()        # of the build, that the commands do not build themselves
    built: str = ''             # what a build must have that tools/reproduce does not make, and what makes it
    built_by: str = ''
    tools: tuple = ()           # of others; without them there is nothing to measure
    peers: tuple = ()           # of others, too; without one its row is missing
    gigabytes: float = 0        # of captures, in TMPDIR
    root: bool = False
    gpu: bool = False


ENTRIES = (
    Entry('peers', 'beside other flow meters: time, memory, and the retransmissions that each finds',
          ('bench/peers/run --shape full --shape cut --rounds 7 --slow-rounds 1 --out {out}',),
          ('bench/peers/run --smoke --shape cut --out {out}',),
          510, peers=PEERS, gigabytes=3.1),
    Entry('floors', 'what reading, walking and counting by flow take of the CPU time of metering',
          ("bench/peers/run --shape full --shape cut --peers '' --rounds 7 --out {out}",),
          ("bench/peers/run --smoke --shape cut --peers '' --out {out}",),
          60, gigabytes=3.1),
    Entry('scale', 'what metering costs as packets, live flows, threads and files grow; memory of a live flow',
          ('bench/scale/run --rounds 3 --out {out}',),
          ('bench/scale/run --smoke --out {out}',),
          570, gigabytes=12),
    Entry('unpack', 'compressed captures, against what unpacks them',
          ('bench/unpack --raw {out}/raw.json',), ('bench/unpack --smoke --raw {out}/raw.json',),
          125, printed='report.md', peers=('gzip', 'zstd', 'lz4'), gigabytes=2.1),
    Entry('formats', 'what writing each format costs, and a collector',
          ('bench/formats --rounds 7 --raw {out}/raw.json',), ('bench/formats --smoke --raw {out}/raw.json',),
          60, printed='report.md', gigabytes=1),
    Entry('packets', 'tables of packets, and captures of chosen ones, beside extract of the same',
          ('bench/packets --raw {out}/raw.json',), ('bench/packets --smoke --raw {out}/raw.json',),
          90, printed='report.md', gigabytes=5.6),
    Entry('segments', 'segment files: their size, what writing them costs, and metering from them',
          ('bench/segments --raw {out}/raw.json',), ('bench/segments --smoke --raw {out}/raw.json',),
          60, printed='report.md', gigabytes=2.2),
    Entry('streams', 'streams put together, beside libnids and memcpy; as files, beside tcpflow',
          ('bench/streams --raw {out}/raw.json',), ('bench/streams --smoke --raw {out}/raw.json',),
          520, printed='report.md', peers=('tcpflow',), gigabytes=2),
    Entry('policy', 'rounds of policy groups, fused and apart; the stock policy beside others who tell protocols',
          ('bench/policy/run --out {out}',), ('bench/policy/run --smoke --out {out}',),
          410, peers=('ndpiReader', 'suricata', 'zeek'), gigabytes=0.6),
    Entry('coalesce', 'packets joined to super-packets, beside extract of the same',
          ('bench/coalesce/run --out {out}',), ('bench/coalesce/run --smoke --out {out}',),
          260, gigabytes=1.1),
    Entry('live', 'what a packet takes from the interface to the reader: AF_PACKET, libpcap, AF_XDP',
          ('bench/live/run --out {out}/report.md --raw {out}/raw.json',),
          ('bench/live/run --smoke --out {out}/report.md --raw {out}/raw.json',),
          285, tools=('ip',), peers=('softflowd', 'nfpcapd'), root=True),
    Entry('ring-metering', 'decoding and metering what lies in rings, beside extract from memory',
          ('traffic_gen --packets 4000000 --snaplen 96 -o {tmp}/some.pcap', 'ring_metering_bench {tmp}/some.pcap 9'),
          ('traffic_gen --packets 20000 --snaplen 96 -o {tmp}/some.pcap', 'ring_metering_bench {tmp}/some.pcap 1'),
          40, printed='report.txt', programs=('traffic_gen', 'ring_metering_bench'), gigabytes=0.5),
    Entry('latency', 'how long after a flow ends its record leaves, with a million flows at once',
          ('record_latency_bench 1000000 10 20 1000 2',), ('record_latency_bench 1000 0.2 0.6 100',),
          22, printed='report.txt', programs=('record_latency_bench',)),
    Entry('soak', 'an hour of live capture: losses, sums, memory, latency of Flow Records',
          ('bench/soak/run --minutes 60 --rate 5000 --rings 2 --out {out}',),
          ('bench/soak/run --minutes 0.2 --rate 2000 --rings 2 --slack 2 --out {out}',),
          3620, tools=('ip',), gigabytes=0.6, root=True),
    Entry('paper', 'the evaluation of the source paper: accuracy, and Figures 11 to 14',
          ('bench/paper/run --out {out}',), ('bench/paper/run --smoke --out {out}',),
          110, gigabytes=1.5),
    Entry('predict', 'how fast GPUs should meter, by what compiled kernels ask of memory',
          ('bench/gpu/predict --packets 2097152 --out {out}',), ('bench/gpu/predict --smoke --out {out}',),
          240, built=CUDA_MACHINE, built_by='tools/test, where tools/setup-cuda has run'),
    Entry('machine', 'tests on the CUDA machine in software: instructions that ran, and how many of all',
          ('ctest --test-dir {build} --label-regex machine --output-on-failure', 'tools/check_cuda_machine'),
          ('env WARPMETER_CORPUS={tmp} tools/check_cuda_machine',),
          900, printed='report.txt', built=CUDA_MACHINE, built_by='tools/test, where tools/setup-cuda has run'),
    Entry('gpu', 'all that needs a GPU: tests, kernels, copies, end to end, beside what was predicted',
          ('bench/gpu/run --out {out}',), ('bench/gpu/run --smoke --cpu-only --no-build --build {build} --out {out}',),
          540, gpu=True),
    Entry('run', 'long flows, beside walking the capture, nfpcapd and tshark',
          ('bench/run --out {out}/report.md --raw {out}/raw.json',),
          ('bench/run --smoke --out {out}/report.md --raw {out}/raw.json',),
          95, peers=('nfpcapd', 'tshark'), gigabytes=2.3),
    Entry('attacks', 'what prepared captures cost, as ratios to random ones',
          ('bench/attacks/run --out {out}',), ('bench/attacks/run --smoke --out {out}',),
          600, programs=('warpmeter', 'stream_bench'), gigabytes=1.0),
    Entry('live-attacks', 'what a live capture loses of prepared streams, beside random ones',
          ('bench/attacks/live --out {out}',), ('bench/attacks/live --smoke --out {out}',),
          60, programs=('warpmeter',), tools=('ip', 'unshare'), gigabytes=0.1, root=True),
    Entry('scheduler', 'what handing out tasks costs the threads',
          ('scheduler_bench',), ('scheduler_bench --smoke',),
          10, printed='report.md', programs=('scheduler_bench',)),
    Entry('python', "the Python package's extract() to Arrow, against the program's time to CSV",
          ('bench/python --raw {out}/raw.json',), ('bench/python --smoke --raw {out}/raw.json',),
          25, printed='report.md', built=PYTHON_PACKAGE, built_by='tools/test', gigabytes=2.3),
    Entry('flat-memory', "memory of the Python package's streams, of 100 million packets through a pipe",
          ('bench/flat_memory',), ('bench/flat_memory --smoke',),
          600, printed='report.md', built=PYTHON_PACKAGE, built_by='tools/test', gigabytes=9),
)
