#!/usr/bin/env bash
# bench/soak/run, for some seconds: every packet sent is in the sums, in the rotated files and at the collector; and it
# says so if that does not hold.
. "$(dirname "$0")/live/wire.sh"
[ -z "${SANITIZE:-}" ] || { echo "a build without sanitizers runs this"; exit 77; }
# What keeps a core from this for a second is no fault of the capture: a slack of seconds.
soak() { "$SOURCE/bench/soak/run" --build "$(dirname "$WARPMETER")" --tmp . --rotate 2s --slack 5 "$@"; }
soak --minutes 0.1 --rate 3000 --out out 2>log.txt || { cat log.txt >&2; fail "a soak of six seconds"; }
grep -q 'Sums are exact' out/report.md || fail "$(cat out/report.md)"
python3 - <<'PY'
import json
found = json.load(open('out/raw.json'))
assert 10_000 < found['sent']['sent'] == found['stats']['packets metered'] == sum(packets for _, _, packets in found['files'])
assert len(found['files']) >= 3 and found['samples'] and found['latency']['0.999'] > 0, found['latency']
PY
# A disk that fills and empties again: what is lost of the files is counted, the collector gets all.
soak --minutes 0.3 --rate 3000 --rotate 1s --fill-disk 4 --out full 2>log.txt || { cat log.txt >&2; fail "a soak on a full disk"; }
grep -q 'full [0-9]* times for 4 s: [1-9]' full/report.md || fail "$(cat full/report.md)"
# Records that come late are not passed.
expect_status 1 soak --minutes 0.05 --rate 3000 --max-latency 2 --slack=-1.9
grep -q 'of the records within .*, the limit is 0.100 s' stderr.txt || { cat stderr.txt >&2; fail "late records are passed"; }
expect_status 1 "$SOURCE/bench/soak/run" --build no-such
grep -q '^bench/soak/run: no warpmeter, traffic_gen in no-such' stderr.txt || { cat stderr.txt >&2; fail "not told what is missing"; }
[ -z "$(ls -d tmp* 2>/dev/null)" ] || fail "left behind: $(ls)"
