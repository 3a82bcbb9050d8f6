# For every script below: `. "$(dirname "$0")/../common.sh"` gives a scratch folder, the programs and a few checks. A script
# shows one behaviour; it fails with the first command that fails. Run by ctest, which sets WARPMETER and the others.
set -eu -o pipefail
: "${WARPMETER:?run these scripts through ctest}" "${TRAFFIC_GEN:?}" "${REFERENCE_METER:?}" "${DATA:?}" "${SOURCE:?}"
export NO_COLOR=1   # what stands on a terminal is compared to the letter
export TERM=xterm   # on a dumb one, which a service or a batch job has, no line is redrawn
SCALE=${SCALE:-1}   # packets, and their rate, are divided by it: builds with a sanitizer are slow
SCRATCH=$(mktemp -d)
trap 'rm -rf "$SCRATCH"' EXIT
cd "$SCRATCH"

fail() { echo "FAILED: $*" >&2; exit 1; }

# expect_status STATUS COMMAND...: runs it, its output in stdout.txt and stderr.txt.
expect_status() {
  local wanted=$1 got=0
  shift
  "$@" >stdout.txt 2>stderr.txt || got=$?
  [ "$got" = "$wanted" ] || { cat stderr.txt >&2; fail "exit status $got, expected $wanted: $*"; }
}

# One clear line on standard error that matches PATTERN, and nothing on standard output.
expect_one_line() {
  [ "$(grep -c . stderr.txt)" = 1 ] || { cat stderr.txt >&2; fail "expected one line on standard error"; }
  grep -qE -- "$1" stderr.txt || { cat stderr.txt >&2; fail "expected /$1/"; }
  [ ! -s stdout.txt ] || fail "standard output is not empty"
}

no_leftovers() { [ -z "$(find . -name '*.part')" ] || fail "left behind: $(find . -name '*.part')"; }

# peak_of COMMAND...: the most KiB that this warpmeter had in memory, on standard output. What wait4(2) tells counts the
# program that has started it, too.
peak_of() {
  python3 -c "import re, subprocess, sys
child, peak = subprocess.Popen(sys.argv[1:]), 0
while child.poll() is None:
    with open(f'/proc/{child.pid}/status') as status, open(f'/proc/{child.pid}/comm') as name:
        told = re.search(r'VmHWM:\s*(\d+)', status.read())
        if told and name.read().strip() == 'warpmeter': peak = int(told[1])
assert child.returncode == 0 and peak > 0
print(peak)" "$@"
}

# rows FILE: the number of Flow Records in a CSV file.
rows() { tail -n +2 "$1" | grep -c . || true; }

# Skips the script where Parquet is not built in; gives READERS, a python3 with DuckDB, polars and pyarrow, if asked for.
need_parquet() {
  "$WARPMETER" info | grep -q 'Parquet *built in' ||
    { echo "tools/setup-parquet and then a build without sanitizers run this"; exit 77; }
  [ "${1:-}" = readers ] || return 0
  READERS=$SOURCE/build/python/bin/python3
  "$READERS" -c 'import duckdb, polars, pyarrow.parquet' 2>/dev/null ||
    { echo "tools/setup-parquet --with-readers runs this"; exit 77; }
}

# Skips the script where IPFIX is not built in.
need_ipfix() {
  "$WARPMETER" info | grep -q 'IPFIX *built in' || { echo "a build with libfixbuf (libfixbuf-dev) runs this"; exit 77; }
}

# Gives PACKERS, the programs whose formats this build unpacks; skips the script where there is none.
need_unpacking() {
  local program
  PACKERS=
  for program in gzip zstd lz4; do
    ! "$WARPMETER" info | grep -q "unpacking .*$program" || ! command -v $program >/dev/null || PACKERS+=" $program"
  done
  [ -n "$PACKERS" ] || { echo "a build with zlib, libzstd or liblz4, and gzip, zstd or lz4, run this"; exit 77; }
}

# free_port udp|tcp: a port of 127.0.0.1 that nobody listens on.
free_port() {
  python3 - "$1" <<'PY'
import socket, sys
kind = socket.SOCK_DGRAM if sys.argv[1] == 'udp' else socket.SOCK_STREAM
s = socket.socket(socket.AF_INET, kind); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])
PY
}

# interruptible PID: whether that is warpmeter and catches SIGTERM by now.
interruptible() {
  local caught
  [ "$(cat "/proc/$1/comm")" = warpmeter ] && caught=$(sed -n 's/^SigCgt:[^0-9a-f]*//p' "/proc/$1/status")
  (( 0x${caught:-0} >> 14 & 1 ))
}

# has_read BYTES PID: whether the program has read so much, of whatever files.
has_read() { [ "$(sed -n 's/^rchar: //p' "/proc/$2/io")" -ge "$1" ]; }

# pipe_holds_some FILE: whether there is something to be read in a pipe, perhaps /proc/PID/fd/N.
pipe_holds_some() {
  python3 - "$1" <<'PY'
import fcntl, os, sys, termios
pipe = os.open(sys.argv[1], os.O_RDONLY | os.O_NONBLOCK)
sys.exit(not any(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4))))
PY
}

# starves READER FEEDER: whether READER has read all that came, and waits for more. FEEDER gives it to its standard
# output, a pipe, and sleeps then.
starves() {
  [ "$(cat "/proc/$2/comm")" = sleep ] && ! pipe_holds_some "/proc/$2/fd/1" && interruptible "$1" &&
    ! grep -qs '^State:.[^S]' /proc/$1/task/*/status
}

# wait_for SECONDS COMMAND...: until it succeeds.
wait_for() {
  local deadline=$((SECONDS + $1 * SCALE))
  shift
  until "$@" 2>/dev/null; do
    [ $SECONDS -lt $deadline ] || { [ ! -s collector.log ] || cat collector.log >&2; fail "not in time: $*"; }
    sleep 0.1
  done
}

# metrics PORT: what a live capture tells now, in metrics.txt; fails as long as nobody answers.
metrics() {
  python3 -c 'import sys, urllib.request as web
print(web.urlopen(f"http://127.0.0.1:{sys.argv[1]}/metrics", timeout=10).read().decode(), end="")' "$1" >metrics.txt
}

# begin_open FILE COMMAND...: runs it with FILE as standard input, through a pipe that stays open, until it has read all and
# waits. Its number is $program, its output in stdout.txt and stderr.txt. end_open waits for its end: $status.
begin_open() {
  local file=$1
  shift
  rm -f open_pipe; mkfifo open_pipe
  { cat "$file"; exec sleep 60; } > open_pipe & feeder=$!
  # A shell starts background jobs with SIGINT ignored; env puts it back.
  env --default-signal=INT,HUP "$@" < open_pipe > stdout.txt 2> stderr.txt & program=$!
  wait_for 60 starves $program $feeder
}
end_open() {
  status=0; wait $program || status=$?
  kill $feeder 2>/dev/null || true; wait $feeder 2>/dev/null || true
  rm open_pipe
}

# makes_nothing STATUS PATTERN COMMAND...: it ends with that status and one line, and there are the same files as before.
makes_nothing() {
  local status=$1 pattern=$2
  shift 2
  there() { find . -not -name 'std*.txt' -printf '%p %y %m %s\n' | sort; }
  local before=$(there)
  expect_status "$status" "$@"
  expect_one_line "$pattern"
  diff <(echo "$before") <(there) || fail "something was made"
}

# one_gets_it FOLDER COMMAND: of two that are to fill it at once, one does, and the other says so in one line.
one_gets_it() {
  local folder=$1 command=$2 other=0
  begin_open "$DATA/first-look.pcap" "$WARPMETER" "$command" -q -o "$folder" -
  "$WARPMETER" "$command" -q -o "$folder" "$DATA/first-look.pcap" 2> second.txt || other=$?
  kill $feeder
  end_open
  [ $status$other = 01 ] || [ $status$other = 10 ] || fail "$folder: exit status $status and $other"
  grep -qE "^warpmeter: $folder: (somebody else has put something there|the folder is not empty; .*)\$" stderr.txt second.txt
}
