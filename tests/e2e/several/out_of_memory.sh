#!/usr/bin/env bash
# Where there is no memory, every command ends in the same way: one line, exit status 1, the line in --stats, and no output.
. "$(dirname "$0")/../common.sh"
[ -z "${SANITIZE:-}" ] || { echo "a build without sanitizers runs this"; exit 77; }
command -v cc >/dev/null || { echo "a C compiler (cc) runs this"; exit 77; }
cc -shared -fPIC -o fail_allocations.so "$SOURCE/tests/e2e/fail_allocations.c" -ldl
mkdir folder
"$TRAFFIC_GEN" --packets 3000 --flows 100 -o folder/t.pcap

# runs_out COMMAND...: nothing has room that is larger than a stack's page and smaller than the buffer of an output, which the
# batches of packets are in all commands.
runs_out() {
  local line='out of memory (--memory limits what flows, or streams, may take)'
  rm -f stats.json
  expect_status 1 env LD_PRELOAD="$PWD/fail_allocations.so" FAIL_BYTES=$bytes FAIL_BELOW=1048576 \
    "$WARPMETER" "$1" -q --stats stats.json "${@:2}"
  [ "$(cat stderr.txt)" = "warpmeter: $line" ] || fail "$1 says: $(cat stderr.txt)"
  [ ! -s stdout.txt ] || fail "$1 writes to standard output"
  python3 - "$1" "$line" <<'PY'
import json, sys
stats = json.load(open('stats.json'))
assert stats['exit_status'] == 1 and stats['error'] == sys.argv[2], (sys.argv[1], stats)
PY
}
for bytes in 100000 200000; do
  runs_out extract -o a.csv folder/t.pcap
  runs_out decode -o segments folder/t.pcap
  runs_out reassemble -o a.json -o streams folder/t.pcap
  runs_out memory -o memory.html folder/t.pcap
  runs_out live -i folder:folder --duration 10s -o live.csv
done
ls > there.txt
diff there.txt - <<'THERE' || fail "there is an output"
fail_allocations.so
folder
stats.json
stderr.txt
stdout.txt
there.txt
THERE
