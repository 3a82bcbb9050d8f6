#!/usr/bin/env bash
# bench/attacks/run has a row for every attack and both methods, and says when a run fails or an attack costs too much.
. "$(dirname "$0")/../common.sh"
[ -z "${SANITIZE:-}" ] || { echo "a build without sanitizers runs this"; exit 77; }
"$SOURCE/bench/attacks/run" --smoke --build "$(dirname "$WARPMETER")" --tmp . --out out 2> log.txt
PYTHONPATH=$SOURCE/bench/attacks python3 -B - <<'PY'
import json, patterns, streams
report, found = open('out/report.md').read(), json.load(open('out/raw.json'))
assert len(patterns.ALL) >= 16
for pattern in patterns.ALL:
    threads = 2 if pattern.methods == patterns.METERING else 1
    for method in pattern.methods:
        assert f'\n| {pattern.name} | {method} | {threads} | ' in report, (pattern.name, method)
    of_pattern = [f for f in found if f.get('pattern') == pattern.name]
    assert of_pattern and all(f['packets'] > 100 and f['attack']['cpu'] > 0 and not f['failed'] for f in of_pattern), of_pattern
assert len({f['memory'] for f in found if 'memory' in f}) == 2
PY
[ "$(ls)" = "log.txt
out" ] || fail "left behind: $(ls)"
# The same flows meet in the shard that the bench means.
PYTHONPATH=$SOURCE/bench/attacks python3 -B - <<'PY'
import random, packets, patterns
pattern = next(p for p in patterns.ALL if p.name == 'one shard, ends')
packets.write('one.pcap', pattern.make(40_000, True, random.Random(1)))
packets.write('all.pcap', pattern.make(40_000, False, random.Random(1)))
PY
for flows in one all; do
  "$WARPMETER" extract -q --backend cpu --memory 16M --stats $flows.json -o $flows.csv $flows.pcap
done
python3 - <<'PY'
import json
one, all = json.load(open('one.json')), json.load(open('all.json'))
assert one['evicted flows'] > 8_000 and all['evicted flows'] == 0, (one['evicted flows'], all['evicted flows'])
PY
# A program that fails, and one that takes its time for attacks.
mkdir broken slow
printf '#!/bin/sh\necho "warpmeter: out of order" >&2\nexit 1\n' > broken/warpmeter
printf '#!/bin/bash\ncase "${!#}" in *attack.pcap) for ((i = 0; i < 300000; ++i)); do :; done;; esac\n' > slow/warpmeter
chmod +x broken/warpmeter slow/warpmeter
bench() { "$SOURCE/bench/attacks/run" --patterns 'tiny flows' --packets 100 --rounds 1 --threads 1 --build "$1" --tmp .; }
expect_status 1 bench broken
grep -q 'exit status 1: warpmeter: out of order' stderr.txt || fail "the failure is not told"
expect_status 1 bench slow
grep -q 'tiny flows, exact, threads 1: .* times' stderr.txt || fail "the ratio is not told"
