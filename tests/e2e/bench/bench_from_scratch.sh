#!/usr/bin/env bash
# A bench in a tree where only `tools/run` was called builds what it needs. What is missing or wrong is said at once, in
# one line and without a traceback; whoever interrupts gets status 130 and nothing is left.
. "$(dirname "$0")/../common.sh"
[ -z "${SANITIZE:-}" ] || { echo "a build without sanitizers runs this"; exit 77; }
BUILD=$(dirname "$WARPMETER")
[ -x "$BUILD/bench/floors" ] || { echo "a whole build runs this"; exit 77; }

# A tree that has the benches, and instead of compilers what was compiled before.
mkdir -p tree/tools bin tmp
cp -r "$SOURCE/bench" tree/bench
cat > tree/tools/run <<EOF
#!/bin/sh
mkdir -p "$PWD/tree/build/release" && ln -sf "$WARPMETER" "$PWD/tree/build/release/warpmeter" && exec "$WARPMETER" "\$@"
EOF
cat > bin/cmake <<EOF
#!/usr/bin/env bash
echo "cmake \$*" >> "$PWD/cmake.log"
[ "\$1 \$2 \$3" = "--build $PWD/tree/build/release --target" ] || exit 9
for target in "\${@:4}"; do
  for path in bench/\$target tools/traffic_gen/\$target; do
    [ ! -x "$BUILD/\$path" ] || { mkdir -p "\$2/\$(dirname \$path)"; ln -sf "$BUILD/\$path" "\$2/\$path"; }
  done
done
echo "much is said"
EOF
chmod +x tree/tools/run bin/cmake
export PATH=$PWD/bin:$PATH TMPDIR=$PWD/tmp PYTHONDONTWRITEBYTECODE=1

quick=('bench/run --smoke --no-tshark' 'bench/peers/run --smoke --shape cut --peers= --out' 'bench/formats --smoke'
  'bench/scale/run --smoke --series threads --out' 'bench/unpack --smoke' 'bench/segments --smoke' 'bench/streams --smoke --sizes 64' 'bench/paper/run --smoke --out')
for words in "${quick[@]}"; do
  rm -rf tree/build out
  [ "${words% --out}" = "$words" ] || words+=" out"
  # shellcheck disable=SC2086
  expect_status 0 tree/$words
  grep -q 'takes a few seconds' stderr.txt || fail "$words: does not say how long it takes"
  ! grep -q 'Traceback\|much is said' stderr.txt stdout.txt || { cat stderr.txt; fail "$words: says too much"; }
  [ -x tree/build/release/tools/traffic_gen/traffic_gen ] || fail "$words: built nothing"
done

# said STATUS PATTERN WORDS...: the last line matches, and there is no traceback.
said() {
  local status=$1 pattern=$2
  shift 2
  expect_status "$status" "$@"
  ! grep -q Traceback stderr.txt || { cat stderr.txt; fail "$*: a traceback"; }
  tail -1 stderr.txt | grep -qE -- "$pattern" || { cat stderr.txt; fail "$*: expected /$pattern/"; }
}
mkdir empty
touch file
for words in "${quick[@]}"; do
  name=${words%% *}
  out=${words##* }
  [ "$out" = --out ] && out='--out out' || out=
  # shellcheck disable=SC2086
  {
    expect_status 0 tree/$name --help
    said 2 'error: unrecognized arguments: --no-such' tree/$name --no-such $out
    said 1 "^$name: no warpmeter.* in empty: cmake --build empty --target warpmeter" tree/$name --smoke --build empty $out
    [ -z "$out" ] || said 1 "^$name: --out file/x: Not a directory" tree/$name --smoke --out file/x
  }
done
said 1 '^bench/run: --out empty: Is a directory' tree/bench/run --smoke --out empty
said 1 '^bench/streams: --raw empty: Is a directory' tree/bench/streams --smoke --raw empty
TMPDIR=$PWD/no-such said 1 '^bench/streams: .*/no-such: No such file or directory; TMPDIR=FOLDER chooses' \
  tree/bench/streams --smoke --raw new.json
[ ! -e new.json ] || fail 'a report of a bench that did not begin'
said 2 "0' is no number above 0" tree/bench/formats --rounds 0
said 1 '^bench/run: needs [0-9.]+ GB in .*, which has [0-9.]+; TMPDIR=FOLDER chooses another folder' \
  tree/bench/run --packets 999999999999
said 1 '^bench/scale/run: no-such: No such file or directory; --tmp FOLDER chooses' \
  tree/bench/scale/run --smoke --tmp no-such --out out
[ -e /dev/nvidia0 ] || [ -e /dev/dxg ] ||
  said 1 '^bench/gpu/run: no NVIDIA GPU on this machine .*--cpu-only' tree/bench/gpu/run --out no-out
[ ! -e no-out ] || fail 'bench/gpu/run leaves a folder where it does nothing'
said 1 "^bench/gpu/run: no warpmeter in .*empty, and --no-build" \
  tree/bench/gpu/run --cpu-only --no-build --build empty --out out
printf '#!/bin/sh\necho "no compiler" >&2\nexit 1\n' > tree/tools/run
said 1 '^bench/run: tools/run could not build warpmeter' tree/bench/run --smoke

# What is measured ends with the bench.
mkdir -p slow/tools
ln -s "$BUILD/tools/traffic_gen" slow/tools/traffic_gen
printf '#!/bin/sh\necho $$ > "%s/slow.pid"\nexec sleep 1000\n' "$PWD" > slow/warpmeter
chmod +x slow/warpmeter
for signal in SIGINT SIGTERM SIGHUP; do
  rm -f slow.pid
  python3 - $signal <<'PY'
import os, signal, subprocess, sys, time
bench = subprocess.Popen(['tree/bench/scale/run', '--smoke', '--build', 'slow', '--out', 'out'], stderr=subprocess.PIPE,
                         text=True, start_new_session=True)
deadline = time.monotonic() + 60
while not (os.path.exists('slow.pid') and open('slow.pid').read()):
    assert time.monotonic() < deadline, 'never started'
    time.sleep(0.05)
sign = getattr(signal, sys.argv[1])
for _ in range(3):  # as somebody who has no patience
    bench.send_signal(sign) if sys.argv[1] == 'SIGTERM' else os.killpg(bench.pid, sign)
said = bench.communicate(timeout=60)[1]
assert bench.returncode == 130, (bench.returncode, said)
assert 'Traceback' not in said and said.split('\n')[-2] == 'bench/scale/run: interrupted', said
PY
  gone() { ! kill -0 "$(cat slow.pid)"; }
  wait_for 10 gone
done
[ -z "$(ls tmp)" ] || fail "left behind: $(ls tmp)"
