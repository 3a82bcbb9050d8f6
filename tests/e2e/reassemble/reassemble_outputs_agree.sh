#!/usr/bin/env bash
# The outputs of reassemble hold the same: JSON's checksums, lengths and counts are those of the records' bytes and of the files;
# the same bytes for any number of threads, in memory or by way of files, packed or not; without order the same connections.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets $((20000 / SCALE)) --flows 100 --mean-packets 40 --port-reuse 0.3 --loss 0.01 --reorder 0.02 -o many.pcap
cat > compare.py <<'PY'
"""compare.py NAME FILES NAMES: NAME.json, NAME.streams, NAME.unordered.streams and the folder NAME agree."""
import base64, collections, hashlib, json, os, sys

sys.path.insert(0, os.environ['SOURCE'] + '/examples')
from read_streams import records

name, files, names = sys.argv[1:]
document = json.load(open(name + '.json'))
connections = document['connections']
assert [c['opened_packet'] for c in connections] == sorted({c['opened_packet'] for c in connections}), 'not in order'
sha = lambda data: hashlib.sha256(data).hexdigest()


def of_stream(path):
    """What JSON has, out of records, and the bytes; connections in the order in which they end."""
    found, carried, kinds = {}, {}, collections.Counter()
    counters = [k for k in connections[0]['directions']['client'] if k not in ('syn', 'fin', 'finished', 'complete', 'gaps')]
    with open(path, 'rb') as stream:
        for kind, number, *more in records(stream):
            kinds[kind] += 1
            if kind == 'opened':
                time, (client, client_port), (server, server_port) = more
                found[number] = dict(client=client, client_port=client_port, server=server, server_port=server_port,
                                     opened_packet=number, opened_ns=time, blocks=[])
                carried[number] = []
            elif kind == 'block':
                reason, packet, subs = more
                found[number]['blocks'].append(dict(
                    reason=reason, packet=packet or None,
                    subblocks=[[side, offset, len(data), gap, sha(data)] for side, offset, gap, data in subs]))
                carried[number] += [(side, data) for side, _, _, data in subs]
            elif kind == 'ended':
                last, buffered, reason, *ways = more
                found[number].update(last_ns=last, max_buffered=buffered, end=reason, directions={
                    side: dict(zip(counters, way[0]), syn=bool(way[1] & 1), fin=bool(way[1] & 2),
                               finished=bool(way[1] & 4), complete=bool(way[1] & 8), gaps=[list(g) for g in way[2]])
                    for side, way in zip(('client', 'server'), ways)})
                found[number] = found.pop(number)
            else: assert [number, *more] == [len(found), document['stray_segments']], (number, more)
        assert not stream.read(1) and kinds['last'] == 1
    return found, carried


def check(what, wanted, got):
    if wanted != got: sys.exit(f'{name}: {what} differ')


found, carried = of_stream(name + '.streams')
check('JSON and records', connections, list(found.values()))
unordered, again = of_stream(name + '.unordered.streams')
check('records with and without order', found, dict(sorted(unordered.items())))
check('their bytes', carried, again)
if os.path.exists(name + '.base64.json'):
    for c in json.load(open(name + '.base64.json'))['connections']:
        taken = [(s[0], base64.b64decode(s[5])) for b in c['blocks'] for s in b['subblocks']]
        check('base64 and records', carried[c['opened_packet']], taken)


def padded(address): return address if ':' in address else '.'.join(f'{int(part):03}' for part in address.split('.'))


expected, before = {}, collections.Counter()
for number, c in found.items():
    if not carried[number]: continue
    ends = [f'{padded(c[side])}.{c[side + "_port"]:05}' for side in ('client', 'server')]
    later = f'c{before[frozenset(ends)]}' if before[frozenset(ends)] else ''
    before[frozenset(ends)] += 1
    called = {'client': '-'.join(ends) + later, 'server': '-'.join(ends[::-1]) + later}
    if names == 'numbered': called = {side: f'{number:012}' + ('-' + side) * (files == 'direction') for side in called}
    for side, data in carried[number]:
        of = called['client' if files == 'connection' else side]
        expected[of] = expected.get(of, b'') + data
check('names of files', sorted(expected), sorted(os.listdir(name)))
for of, data in expected.items(): check(f'{of} and the records', data, open(f'{name}/{of}', 'rb').read())
print(f'{name}: {len(found)} connections, {len(expected)} files, {sum(map(len, expected.values()))} bytes')
PY
agree() {  # CAPTURE NAME FILES NAMES OPTION...
  local capture=$1 name=$2 files=$3 names=$4
  shift 4
  "$WARPMETER" reassemble -q --files $files --names $names -o $name.json -o $name.streams -o $name "$@" "$capture"
  "$WARPMETER" reassemble -q --unordered -o $name.unordered.streams "$@" "$capture"
  python3 compare.py $name $files $names
}
agree many.pcap many direction endpoints
agree many.pcap numbered direction numbered --block-size 1K --threads 3
agree many.pcap whole connection endpoints --timeout 1s --threads 1
agree "$DATA/first-look.pcap" first connection numbered
"$WARPMETER" reassemble -q --payload base64 -o first.base64.json "$DATA/first-look.pcap"
python3 compare.py first connection numbered
"$WARPMETER" reassemble -q --payload none -o - --format json "$DATA/first-look.pcap" > none.json
python3 - <<'PY'
import json
whole, none = (json.load(open(name)) for name in ('first.json', 'none.json'))
for c in whole['connections']:
    for b in c['blocks']:
        for s in b['subblocks']: s[4] = None
assert whole == none
PY

# The same bytes: of more threads, of a stream, packed; several outputs beside each other, and each alone.
for threads in 1 2 7; do
  "$WARPMETER" reassemble -q --threads $threads -o - many.pcap | cmp - many.streams
  "$WARPMETER" reassemble -q --threads $threads -o again.json many.pcap; cmp again.json many.json
  rm -rf again; "$WARPMETER" reassemble -q --threads $threads -o again/ - < many.pcap; diff -r many again
done
"$WARPMETER" reassemble -q --format json -o /dev/stdout many.pcap | cmp - many.json
mkfifo pipe; cat pipe > piped & "$WARPMETER" reassemble -q -o pipe many.pcap; wait; cmp piped many.streams
if "$WARPMETER" info | grep -q 'zstd' && command -v zstd >/dev/null; then
  "$WARPMETER" reassemble -q -o a.json.zst -o a.streams.zst many.pcap
  zstd -dqc a.json.zst | cmp - many.json; zstd -dqc a.streams.zst | cmp - many.streams
fi
no_leftovers
