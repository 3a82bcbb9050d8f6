#!/usr/bin/env bash
# bench/live/run: a cost for each way to receive and each size of frames, and every packet counted by our meter; and
# bench/live/quiet.
. "$(dirname "$0")/live/wire.sh"
[ -z "${SANITIZE:-}" ] || { echo "a build without sanitizers runs this"; exit 77; }
BUILD=$(dirname "$WARPMETER")
[ -x "$BUILD/bench/receive_bench" ] || { echo "a whole build with libpcap runs this"; exit 77; }
if ! "$BUILD/bench/receive_bench" nothing 96 64 1 >/dev/null 2>why.txt; then
  echo "Linux 5.18 with BPF_PROG_TEST_RUN of live frames, and the right to it (root has it), run this: $(cat why.txt)"
  exit 77
fi
"$SOURCE/bench/live/run" --smoke --build "$BUILD" --out report.md 2>log.txt || { cat log.txt >&2; fail "a short run"; }
[ "$(grep -cE '^\| [^|]+ \| -?[0-9]+ \| [0-9]+ \| -?[0-9]+ \| -?[0-9.]+ \|$' report.md)" = 20 ] || { cat report.md; fail "ways are missing"; }
[ "$(grep -cE '^\| warpmeter, .* \| ([0-9,]+) \| \1 \|$' report.md)" = 2 ] || { cat report.md; fail "packets are not counted"; }

# bench/live/quiet: a cost for each ring at each rate.
"$SOURCE/bench/live/quiet" --smoke --rates 500,2000 --build "$BUILD" --out quiet.md 2>log.txt || { cat log.txt >&2; fail "a short run"; }
[ "$(grep -cE '^\| warpmeter, .* \| [0-9,]+ \| [0-9.]* \| [0-9,]+ to [0-9,]+ \|$' quiet.md)" = 4 ] || { cat quiet.md; fail "rings are missing"; }
