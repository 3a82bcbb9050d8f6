"""What of the docs is not run, and what examples find where they run. There are no other exceptions: an example that is
neither run nor listed fails, and so does an entry that its page has no more.
"""
from dataclasses import dataclass


@dataclass(frozen=True)
class Shown:
    """A block that begins so is no example but something to look at."""
    why: str


@dataclass(frozen=True)
class SavedAs:
    """A block that begins so is a file: the blocks of its page that name it find it, and at least one does."""
    name: str


@dataclass(frozen=True)
class Elsewhere:
    """A line of a block for a shell that begins so is not run. Bash has to be able to read it, and programs of tools/
    that it names have to be there."""
    why: str


BUILDS = Elsewhere('sets up and compiles the whole: every run of tools/test does')
INSTALLS = Elsewhere('installs packages: tools/test --packages does, into a bare Debian of its own')
SERVICE = Elsewhere('needs a systemd: e2e.service_unit checks the unit, tools/test --packages what is installed')
RELEASED = Elsewhere('takes a release and its key: e2e.release_is_signed makes both')
INLINE = Elsewhere('changes the addresses of a host: net.coalesce_inline runs it, with hosts of its own')
ARM64 = Elsewhere('compiles the whole for arm64, as tools/test --arm64 does; e2e.packages_for_arm64 tries the rest')

# Of each page, how a block or a line begins. The longest that fits counts.
NOT_RUN = {
    'README.md': {
        './tools/run extract data/first-look.pcap': BUILDS,
        './tools/test': Elsewhere('runs this'),
        'SOURCE  ': Shown('the table of the first look: e2e.readme_first_page compares it'),
        'tools/package deb && apt install': INSTALLS,
        'pip install .': INSTALLS,
    },
    'CONTRIBUTING.md': {
        'cmake --preset release': BUILDS,
        'cmake --build build/release --target test_flow_runs': BUILDS,
        'build/release/tests/test_flow_runs': BUILDS,
        'cmake --build build/release && ctest': BUILDS,
        'record/collector: what': Shown('the first line of a commit'),
    },
    'docs/architecture.md': {'  app ': Shown('the floors'), '  files, pipes, rings': Shown('a drawing')},
    'docs/cluster.md': {"pip install '.[cluster]'": Elsewhere('downloads Ray, as tools/setup-cluster does')},
    'docs/collectors.md': {
        'name=retransmitted_segments': SavedAs('primitives.lst'),
        'nfacctd_port:': SavedAs('nfacctd.conf'),
    },
    'docs/databases.md': {'CREATE TABLE flows': Shown('e2e.loaders_agree has psql run it')},
    'docs/feeders.md': {
        'dpdk_feeder -l 2,3 -a': Elsewhere('a card that DPDK drives: net.dpdk_feeder runs it with one in software'),
    },
    'docs/install.md': {
        'tools/package deb ': INSTALLS,
        'apt install ': INSTALLS,
        'tools/package deb --arch arm64': ARM64,
        'tools/package wheel --arch arm64': ARM64,
        'tools/pinned python3 install wheel': INSTALLS,
        'gpg --export ': RELEASED,
        'gpgv --keyring ': RELEASED,
    },
    'docs/library.md': {'apt install ': INSTALLS},
    'docs/live.md': {
        '  packets lost': Shown('a line of the summary'),
        '"packets_read"': Shown('a part of the summary, with what is left out'),
    },
    'docs/coalesce.md': {
        'THRESHOLD': Shown('the table, with what is left out'),
        'warpmeter coalesce -i ': INLINE, 'ip ': INLINE, 'ethtool ': INLINE, 'kill %1': INLINE,
    },
    'docs/memory.md': {'Streams per Mbit/s': Shown('tables, with what is left out')},
    'docs/policies.md': {
        'max_rounds = 8': SavedAs('policy.toml'),
        'set_memory': Shown('a request: e2e.policy_socket has others'),
        'tools/compare_applications': Elsewhere('takes minutes, over captures beside the checkout'),
        'python3 examples/change_policy.py': Elsewhere('needs the capture above: e2e.policy_socket has both'),
        '1 1->2+': Shown('two lines of a policy with groups of its own'),
        'warpmeter: policy.toml:': Shown('lines that files bring: tests/policy/memory has all of them'),
    },
    'docs/python.md': {'pip install .': INSTALLS, 'tools/package wheel': INSTALLS},
    'docs/retransmissions.md': {
        'tools/compare_tshark': Elsewhere('reads a checkout: e2e.packets_beside_tshark runs it'),
        'tools/compare_tcptrace': Elsewhere('reads a checkout: e2e.packets_beside_tcptrace runs it'),
    },
    'docs/segment-files.md': {'header | block': Shown('a drawing'), 'start   =': Shown('a formula')},
    'docs/service.md': {
        'warpmeter: flows.': Shown('two lines that a full disk brings'),
        'apt install ': SERVICE, 'systemctl ': SERVICE, 'install -D -m 644 /usr/share/doc/warpmeter': SERVICE,
    },
}

# Files that users have, and examples name: how each is made, in the folder of the example. $LOOK is
# data/first-look.pcap, 300 packets with IPv4, IPv6, TCP, UDP and ICMP; $FIRST and $SECOND are its halves, which follow
# each other in time. A file is there only for examples that read it, and not for those that write it first. Formats are
# recognised by content.
HALVES = 'mkdir -p {0} && cp $FIRST {0}/monday.pcap && cp $SECOND {0}/tuesday.pcap'
STAND_INS = {
    'trace.pcap': 'cp $LOOK trace.pcap',
    'capture.pcap': 'cp $LOOK capture.pcap',
    'capture-17.pcap': 'cp $LOOK capture-17.pcap',
    'day1.pcap': 'cp $FIRST day1.pcap',
    'day2.pcapng': 'cp $SECOND day2.pcapng',
    'captures': HALVES.format('captures'),
    '/data/captures': HALVES.format('/data/captures'),
    '/nfs/captures': HALVES.format('/nfs/captures'),
    'retransmissions.pcap': 'cp $SOURCE/data/retransmissions.pcap .',
    'huge.pcap.gz': 'gzip -c $LOOK >huge.pcap.gz',
    'trace.pcap.zst': 'zstd -q $LOOK -o trace.pcap.zst',
    'flows.csv': 'warpmeter extract -q -o flows.csv $LOOK',
    'both.csv': 'warpmeter extract -q --biflow -o both.csv $LOOK',
    'flows.csv.zst': 'warpmeter extract -q -o flows.csv.zst $LOOK',
    'flows.json': 'warpmeter extract -q -o flows.json $LOOK',
    'flows.ipfix': 'warpmeter extract -q -o flows.ipfix $LOOK',
    'flows.parquet': 'warpmeter extract -q -o flows.parquet $LOOK',
    'microseconds.parquet': 'warpmeter extract -q --times us -o microseconds.parquet $LOOK',
    'monday.csv': 'warpmeter extract -q -o monday.csv $FIRST',
    'tuesday.ipfix': 'warpmeter extract -q -o tuesday.ipfix $SECOND',
    'week': 'mkdir week && warpmeter extract -q -o week/monday.csv $FIRST',
    'rotated.csv': 'warpmeter extract -q --rotate 1K -o rotated.csv $LOOK',
    'day.csv': 'warpmeter extract -q --rotate 1h -o day.csv $LOOK',
    'monday': 'warpmeter decode -q -o monday $FIRST',
    'GeoLite2-Country.mmdb': '''echo '192.168.0.0/16 {"country": {"iso_code": "DE"}}' |
        python3 $SOURCE/tests/e2e/write_mmdb.py GeoLite2-Country.mmdb Country''',
    'GeoLite2-ASN.mmdb': '''echo '10.0.0.0/8 {"autonomous_system_number": 64496}' |
        python3 $SOURCE/tests/e2e/write_mmdb.py GeoLite2-ASN.mmdb ASN''',
    'read_streams.py': 'cp $SOURCE/examples/read_streams.py .',
    'data': 'ln -s $SOURCE/data data',              # in a checkout
    'include': 'ln -s $SOURCE/include include',     # in a checkout
    'examples': 'ln -s $SOURCE/examples examples',  # in a checkout
}

# What examples need, by words of theirs: a program, and the Debian package that has it; or what `warpmeter info` says
# of a build that can do it, and what to do where it does not. Where that is missing they are left out.
PROGRAMS = {
    '.zst': ('zstd', 'zstd'), '| jq': ('jq', 'jq'), 'xargs': ('xargs', 'findutils'), 'tshark ': ('tshark', 'tshark'),
    'tcptrace -': ('tcptrace', 'tcptrace'),
    'nfcapd ': ('nfcapd', 'nfdump'), 'nfacctd ': ('nfacctd', 'pmacct'), 'ipfixDump ': ('ipfixDump', 'libfixbuf-tools'),
    '$(parts)': ('make', 'make'), 'cc ': ('cc', 'gcc'), '#include': ('pkg-config', 'pkg-config'),
}
FEATURES = {
    '.parquet': ('Parquet *built in', 'tools/setup-parquet and a new build run this'),
    '.ipfix': ('IPFIX *built in', 'a build with libfixbuf (libfixbuf-dev) runs this'),
    '--collector': ('IPFIX *built in', 'a build with libfixbuf (libfixbuf-dev) runs this'),
    '--metrics': ('metrics *built in', 'a build with libmicrohttpd (libmicrohttpd-dev) runs this'),
    '--geo': ('geo *built in', 'a build with libmaxminddb (libmaxminddb-dev) runs this'),
    '.zst': ('unpacking .*zstd', 'a build with libzstd (libzstd-dev) runs this'),
}
# Modules that may be missing are these alone; by words, which an example needs that does not import them.
OPTIONAL_MODULES = {
    'chdb', 'duckdb', 'fsspec', 'moto', 'pandas', 'polars', 'pyarrow', 'pyspark', 'ray', 's3fs', 'warpmeter',
}
MODULES = {'warpmeter cluster': {'ray', 'fsspec', 'warpmeter'}, 's3://': {'s3fs', 'moto'}, '.to_polars()': {'polars'}}

# What an example is not alone with, by words of it: programs that begin before it and end with it, and commands that
# succeed once these are ready.
# Interfaces eth0, eth1 and eth2 are veths, at whose other ends the frames of $LOOK are sent again and again; the host
# collector.example is this one, where a collector for everything listens.
BESIDE = {
    './feeder tap': ('$WARPMETER live -q -i shm:tap -o beside.csv', 'true'),  # to which no Ctrl-C comes
    'live -i shm:tap': ('$FEEDER -k tap $LOOK', 'true'),
    's3://bucket': ('$PYTHON -m moto.server -p 5000', '''$PYTHON - <<'END'
import os, s3fs
store = s3fs.S3FileSystem()
store.mkdir('bucket')
store.put(os.environ['FIRST'], 'bucket/2026-11-26/monday.pcap.zst')
END
'''),
    # A Ray of one node, which says it has a GPU: nobody looks for it.
    '--address auto': (
        '$PYTHON -m ray.scripts.scripts start --head --block --num-cpus 2 --num-gpus 1 --include-dashboard False '
        '--object-store-memory 100000000', "grep 'Ray runtime started' beside.log"),
}

# What users have set before they begin, or an administrator for them.
ENVIRONMENT = {
    'AWS_ENDPOINT_URL': 'http://127.0.0.1:5000', 'AWS_ACCESS_KEY_ID': 'x', 'AWS_SECRET_ACCESS_KEY': 'x',
    'AWS_DEFAULT_REGION': 'us-east-1', 'RAY_TMPDIR': '/run/tmp',
}

# Functions of readers' own programs, of which docs/library.md shows parts. They come behind the example's headers.
CPP_BEFORE = {
    'use': 'template <typename... Values> void use(const Values&...) {}',
    'forget': 'template <typename... Values> void forget(const Values&...) {}',
    'print': 'template <typename... Values> void print(const Values&...) {}',
    'next_frame': 'std::vector<std::uint8_t> next_frame() { return std::vector<std::uint8_t>(60); }',
    'now_ns': 'std::int64_t now_ns() { return 1; }',
}

# Of examples in Python that define a function, how it is called.
PYTHON_BEHIND = {'def decode(path):': 'print(decode("capture-17.pcap"))'}
