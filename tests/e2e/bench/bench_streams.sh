#!/usr/bin/env bash
# bench/streams goes on without libnids and tcpflow, and says who is left out, and why, a line each. Where ours fails, or
# delivers other bytes than were planted, it says so, and ends with status 1.
. "$(dirname "$0")/../common.sh"
[ -z "${SANITIZE:-}" ] || { echo "a build without sanitizers runs this"; exit 77; }
BUILD=$(dirname "$WARPMETER")
[ -x "$BUILD/bench/stream_bench" ] || { echo "a whole build runs this"; exit 77; }
export PYTHONDONTWRITEBYTECODE=1 TMPDIR=$PWD/tmp
mkdir tmp bin

# A machine without them: programs that the bench needs, and a compiler that has no such header.
ln -s "$(python3 -c 'import sys; print(sys.executable)')" bin/python3
for program in env sh cat cp; do ln -s "$(command -v $program)" bin; done
printf '#!/bin/sh\necho "x.cc:9:10: fatal error: nids.h: No such file or directory" >&2\nexit 1\n' > bin/c++-without
chmod +x bin/c++-without
bench() { env PATH="$PWD/bin" "$@" "$SOURCE/bench/streams" --smoke --sizes 64 --raw raw.json --build "${build:-$BUILD}"; }
expect_status 0 bench CXX=c++-without
[ "$(grep -c 'left out' stderr.txt)" = 2 ] || fail "not a line each: $(cat stderr.txt)"
grep -qx 'libnids is left out: no nids.h (bench/peers/setup installs libnids-dev)' stderr.txt || fail "libnids"
grep -qx 'tcpflow is left out: no tcpflow (bench/peers/setup installs it)' stderr.txt || fail "tcpflow"
grep -q '^| 64 | [0-9]* | - | - | - | [0-9.]* ([0-9.]*) |' stdout.txt || fail "the rest is not measured: $(cat stdout.txt)"
grep -q '^| 256 KiB | ' stdout.txt && grep -q '^| 64, of 10,000 | - | - | [0-9.() ]* | [0-9]' stdout.txt || fail "blocks, and files, ours and copied"
python3 - <<'PY'
import json
raw = json.load(open('raw.json'))
assert set(raw) == {'sizes', 'small', 'files'} and 'libnids' not in raw['sizes']['64'], raw.keys()
blocks = raw['sizes']['64']['blocks']
assert blocks['payload bytes'] == blocks['capture']['payload_bytes'] > 0 and blocks['CPU'][0] > 0, blocks
PY
expect_status 0 bench CXX=no-such-compiler
grep -qx 'libnids is left out: no-such-compiler: No such file or directory' stderr.txt || fail "without a compiler"

# Ours, if it loses a byte, or fails.
mkdir -p wrong/bench
build=$PWD/wrong
for path in tools warpmeter bench/floors; do ln -s "$BUILD/$path" "wrong/$path"; done
cat > wrong/bench/stream_bench <<'STUB'
#!/bin/sh
echo '{"packets": 1, "payload_bytes": 1, "blocks": 1, "connections": 1, "cpu_us": 1}'
STUB
chmod +x wrong/bench/stream_bench
expect_status 1 bench CXX=c++-without
grep -qE '^64: blocks: 1 bytes of payload instead of [0-9]+$' stderr.txt || fail "bytes that are missing: $(cat stderr.txt)"
printf '#!/bin/sh\necho "stream_bench: no more" >&2\nexit 1\n' > wrong/bench/stream_bench
expect_status 1 bench CXX=c++-without
grep -qx '64: spans: exit status 1: stream_bench: no more' stderr.txt || fail "one that fails: $(cat stderr.txt)"
! grep -q Traceback stderr.txt || fail "a traceback: $(cat stderr.txt)"
[ -z "$(ls tmp)" ] || fail "left behind: $(ls tmp)"
