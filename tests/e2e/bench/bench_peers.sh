#!/usr/bin/env bash
# bench/peers/run has a row for every candidate, names those that are not there, and counts what was planted.
. "$(dirname "$0")/../common.sh"
[ -z "${SANITIZE:-}" ] || { echo "a build without sanitizers runs this"; exit 77; }
BUILD=$(dirname "$WARPMETER")
# A PATH with nothing on it but an impostor: peers that are not installed, and one that fails.
mkdir bin
printf '#!/bin/sh\necho "no such device" >&2\nexit 3\n' > bin/tcptrace
chmod +x bin/tcptrace
# Itself, because what is in the PATH may be a shim that needs more of it.
PYTHON=$(python3 -c 'import sys; print(sys.executable)')
ln -s "$(command -v cat)" bin/cat
PATH=$PWD/bin "$PYTHON" "$SOURCE/bench/peers/run" --smoke --shape small --build "$BUILD" --out none 2> log.txt
"$PYTHON" - <<'PY'
import json
raw, report = json.load(open('none/raw.json')), open('none/report.md').read()
shape = raw['shapes']['small']
truth = shape['capture']['truth']
for name, candidate in shape['candidates'].items():
    assert f'| {name} | ' in report, name
    if name.startswith(('walk', 'count', 'warpmeter')): assert candidate['counts']['packets'] == truth['frames'], name
    if name.startswith('warpmeter'):
        assert candidate['counts']['flows'] == truth['flows'], name
        found = candidate['counts']['retransmissions']['retransmitted_segments']
        assert found == truth['totals']['retransmitted_segments'] > 0, name
    if name.startswith(('walk', 'read', 'count', 'warpmeter')): assert candidate['runs'][0]['wall'] > 0, name
    elif name == 'tcptrace': assert candidate['error'] == 'exit status 3: no such device', candidate
    else: assert candidate['error'] == 'not installed', (name, candidate)
for name in ('nfpcapd', 'softflowd', 'argus', 'tshark -T fields', 'pmacctd'): assert name in shape['candidates'], name
PY
grep -q '<svg' none/packets-per-second.svg
# Those that are installed and quick read all of it.
"$SOURCE/bench/peers/run" --smoke --shape cut --peers nfpcapd,softflowd --build "$BUILD" --out some 2> log.txt
! grep -F '**' some/report.md | grep -v 'not installed' | grep -E '^\| (nfpcapd|softflowd)' || fail "see above"
