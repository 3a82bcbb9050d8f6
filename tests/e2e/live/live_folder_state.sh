#!/usr/bin/env bash
# --state: whatever ends a run, also kill -9 at any moment, the next one goes on where it was. Together they give the Flow
# Records of one run: flows that lived when it was killed are cut there, so that the sums of their parts are compared, and
# of traffic whose flows all end in between, everything.
. "$(dirname "$0")/../common.sh"
SELF=$(dirname "$0")/..
METER=
trap '[ -z "$METER" ] || kill -9 $METER 2>/dev/null; rm -rf "$SCRATCH"' EXIT

# start_live OPTION...: in the background, as METER.
start_live() {
  "$WARPMETER" live -q -i folder:captures --state state --rotate 200ms --idle-timeout 500ms "$@" 2>stderr.txt &
  METER=$!
}
stop_live() {  # SIGNAL STATUS
  local got=0
  kill -"$1" $METER
  wait $METER 2>/dev/null || got=$?
  METER=
  [ $got = "$2" ] || { cat stderr.txt >&2; fail "exit status $got, expected $2"; }
}

# check EXPECTED FILE...: the files have each file's packets once; sums by key, and all rows with `whole`.
check() {
  python3 - "$@" <<'PY'
import csv, sys
def rows(names): return [row for name in names for row in csv.DictReader(open(name))]
def sums(rows):
    by_key = {}
    for r in rows:
        key = tuple(r[c] for c in ('src_addr', 'dst_addr', 'src_port', 'dst_port', 'protocol'))
        s = by_key.setdefault(key, [0, 0, 1 << 62, 0])
        s[0] += int(r['packets']); s[1] += int(r['bytes'])
        s[2] = min(s[2], int(r['start_ns'])); s[3] = max(s[3], int(r['end_ns']))
    return by_key
kind, expected, got = sys.argv[1], rows(sys.argv[2:3]), rows(sys.argv[3:])
a, b = sums(expected), sums(got)
assert a == b, (len(a), len(b), [(k, a.get(k), b.get(k)) for k in a.keys() | b.keys() if a.get(k) != b.get(k)][:5])
if kind == 'whole':
    for row in expected + got: row['end_reason'] = {'4': '1', '3': '1'}.get(row['end_reason'], row['end_reason'])
    a, b = (sorted(tuple(row.values()) for row in some) for some in (expected, got))
    assert a == b, (len(a), len(b), list(set(a) ^ set(b))[:5])
PY
}

# Flows that go on over files; killed at any moment.
"$TRAFFIC_GEN" --packets $((40000 / SCALE)) --flows 60 --rate 2000 -o whole.pcap
python3 "$SELF/cut_capture.py" whole.pcap 32 'piece{}.pcap'
"$WARPMETER" extract -q --idle-timeout 500ms -o expected.csv piece*.pcap
mkdir captures
kills=0
for i in $(seq 0 31); do
  cp piece$i.pcap captures/
  [ $((i % 4)) = 3 ] || continue
  start_live -o flows.csv -o other.json.gz
  sleep 0.$((RANDOM % 40 + 10))
  stop_live KILL 137
  kills=$((kills + 1))
done
start_live -o flows.csv -o other.json.gz
wait_for 20 interruptible $METER
stop_live TERM 0
check sums expected.csv flows.*.csv
[ "$(ls flows.*.csv | wc -l)" = "$(ls other.*.json.gz | wc -l)" ] || { ls; fail "an output has more files"; }
rows_of_all=$(tail -qn +2 flows.*.csv | wc -l)
[ "$(zcat other.*.json.gz | wc -l)" = $rows_of_all ] || fail "outputs differ"
no_leftovers
echo "$kills kills, $(ls flows.*.csv | wc -l) files"

# Flows that all end before the next piece comes: everything is as in one run, whatever was killed.
rm -f flows.* other.* state state.lock captures/*
rm piece*.pcap
for i in $(seq 0 5); do
  "$TRAFFIC_GEN" --seed $((i + 1)) --packets 1000 --flows 20 --rate 2000 --first-connection $((i * 100000)) -o part$i
done
python3 - <<'PY'
import struct
for i in range(6):
    data, at = bytearray(open(f'part{i}', 'rb').read()), 24
    while at < len(data):
        seconds, _, size = struct.unpack_from('<III', data, at)
        struct.pack_into('<I', data, at, seconds + i * 60)
        at += 16 + size
    open(f'piece{i}.pcap', 'wb').write(data)
PY
"$WARPMETER" extract -q --idle-timeout 500ms -o expected.csv piece?.pcap
for i in $(seq 0 5); do
  cp piece$i.pcap captures/
  start_live -o captures/flows.csv
  sleep 0.$((RANDOM % 30 + 20))
  stop_live KILL 137
done
start_live -o captures/flows.csv
wait_for 20 interruptible $METER
stop_live TERM 0
check whole expected.csv captures/flows.*.csv

# A run that has nothing to do does nothing. Files that were renamed or copied meanwhile are known.
before=$(ls captures/flows.*)
mv captures/piece3.pcap captures/renamed.pcap
cp captures/piece4.pcap copy && mv copy captures/piece4.pcap
start_live -o captures/flows.csv
wait_for 20 interruptible $METER
stop_live INT 0
[ "$before" = "$(ls captures/flows.*)" ] || fail "files were read again"

# --delete-after: what was read whole goes, nothing else does: no damaged file, no link, no copy of what was read, nothing
# outside.
head -c 3000 piece0.pcap >captures/cut.pcap
ln -s ../piece1.pcap captures/link.pcap
start_live -o captures/flows.csv --delete-after
only_these_left() { [ "$(cd captures && echo [!f]*)" = "$*" ]; }
wait_for 20 only_these_left cut.pcap link.pcap piece4.pcap
stop_live TERM 3
cmp piece1.pcap captures/link.pcap
cmp piece4.pcap captures/piece4.pcap
rm captures/piece4.pcap
check sums expected.csv $before  # the rest is known as it was
mkdir gone; mv captures/flows.* gone/
cp piece5.pcap captures/new.pcap
start_live -o flows.csv --delete-after
wait_for 20 only_these_left cut.pcap link.pcap
stop_live KILL 137
"$WARPMETER" extract -q --idle-timeout 500ms -o expected.csv piece5.pcap
start_live -o flows.csv --delete-after
wait_for 20 interruptible $METER
stop_live TERM 0
check whole expected.csv flows.*.csv
no_leftovers

# File systems give the number of a file that is gone to the next one. That is read, though its first packet has the same
# time and perhaps its name is the same, too; so it is by the next run.
rm -f flows.*
"$TRAFFIC_GEN" --packets 500 --flows 5 -o first.pcap
"$TRAFFIC_GEN" --packets 700 --flows 5 --first-connection 1000 -o second.pcap
"$WARPMETER" extract -q --idle-timeout 500ms -o expected.csv first.pcap second.pcap
# with_number NUMBER FILE NAME: a copy in captures, with that number if the file system gives it; its number
with_number() {
  python3 - "$@" <<'PY'
import os, shutil, sys
number, source, name = int(sys.argv[1]), sys.argv[2], sys.argv[3]
made = []
for n in range(5000):
    made.append(f'captures/.{n}.tmp')
    open(made[-1], 'w').close()
    if number in (0, os.stat(made[-1]).st_ino): break
shutil.copyfile(source, made[-1])
print(os.stat(made[-1]).st_ino)  # before it has its name, for then it may be deleted at once
os.rename(made[-1], f'captures/{name}')
for rest in made[:-1]: os.unlink(rest)
PY
}
is_deleted() { [ ! -e "captures/$1" ]; }
start_live -o flows.csv --delete-after
wait_for 20 interruptible $METER
number=$(with_number 0 first.pcap first.pcap)
wait_for 20 is_deleted first.pcap
[ "$(with_number "$number" second.pcap second.pcap)" = "$number" ] || echo "the file system gave another number"
wait_for 20 is_deleted second.pcap
stop_live TERM 0
check sums expected.csv flows.*.csv
rm -f flows.*
"$WARPMETER" extract -q --idle-timeout 500ms -o expected.csv first.pcap
start_live -o flows.csv --delete-after
wait_for 20 interruptible $METER
with_number "$number" first.pcap second.pcap
wait_for 20 is_deleted second.pcap
stop_live TERM 0
check sums expected.csv flows.*.csv
rm -f flows.*

# Nor one that has grown after it was read: what was added is in no Flow Record.
cp piece5.pcap captures/grown.pcap
start_live -o flows.csv
wait_for 20 interruptible $METER
stop_live TERM 0
tail -c +25 piece4.pcap >>captures/grown.pcap
start_live -o flows.csv --delete-after
wait_for 20 interruptible $METER
stop_live TERM 3
grep -q 'grown.pcap: it has grown after it was read' stderr.txt || { cat stderr.txt >&2; fail "it is not told"; }
[ -e captures/grown.pcap ] || fail "what was not metered is deleted"
rm captures/grown.pcap

# What cannot be deleted is told once, though each step tries, and counted; nothing else would say that the disk fills.
cp piece4.pcap captures/kept.pcap
if mount --bind captures/kept.pcap captures/kept.pcap 2>/dev/null; then
  trap 'umount "$SCRATCH/captures/kept.pcap" 2>/dev/null || true; [ -z "$METER" ] || kill -9 $METER 2>/dev/null; rm -rf "$SCRATCH"' EXIT
  start_live -o flows.csv --delete-after --stats stats.json
  wait_for 20 grep -q 'captures/kept.pcap: cannot be deleted: Device or resource busy' stderr.txt
  for i in 1 2; do
    cp piece$i.pcap captures/more$i.pcap
    is_deleted() { [ ! -e captures/more$i.pcap ]; }
    wait_for 20 is_deleted
  done
  stop_live TERM 1
  [ "$(grep -c 'cannot be deleted' stderr.txt)" = 1 ] || { cat stderr.txt >&2; fail "it is told again"; }
  grep -q '"files not deleted": 1' stats.json || fail "it is not counted"
  grep -q '"error": "1 file could not be deleted"' stats.json || fail "--stats does not say why the status is 1"
  umount captures/kept.pcap
  start_live -o flows.csv --delete-after
  is_deleted() { [ ! -e captures/kept.pcap ]; }
  wait_for 20 is_deleted
  stop_live TERM 0
fi
rm -f captures/kept.pcap

# SIGHUP makes a step at once. Flows that go on are no Flow Records yet, wherever these are counted.
rm -f flows.*
"$TRAFFIC_GEN" --packets 1500 --flows 60 --rate 2000 -o captures/hup.pcap
"$WARPMETER" live -q -i folder:captures --state state --rotate 1h --idle-timeout 100ms -o flows.csv 2>stderr.txt &
METER=$!
wait_for 20 interruptible $METER
hang_up_for_a_file() { kill -HUP $METER; ls flows.*.csv; }
wait_for 20 hang_up_for_a_file
kill -USR1 $METER
wait_for 20 grep -q '^  flow records' stderr.txt
rows=$(tail -qn +2 flows.*.csv | wc -l)
grep -qE "^  flow records +$rows\$" stderr.txt || { cat stderr.txt >&2; fail "there are $rows Flow Records"; }
stop_live TERM 0
[ "$(tail -qn +2 flows.*.csv | wc -l)" -gt $rows ] || fail "no flow went on"
rm captures/hup.pcap

# One process at a time; a state that is another folder's, damaged or something else is not taken.
start_live -o flows.csv
wait_for 20 grep -q "FLOCK .* WRITE $METER " /proc/locks  # which it takes after it catches signals
live="$WARPMETER live -i folder:captures --rotate 1s -o flows.csv"
expect_status 1 $live --state state
expect_one_line 'state: another warpmeter is running with this state'
stop_live TERM 0
mkdir other
expect_status 1 "$WARPMETER" live -i folder:other --rotate 1s -o flows.csv --state state
expect_one_line 'state is the state of another folder, /.*/captures'
sed 's/"number":/"number": /' state >damaged
expect_status 1 $live --state damaged
expect_one_line 'damaged: is damaged: how far an earlier run came is not known'
head -c 100 state >short
expect_status 1 $live --state short
expect_one_line 'short: is damaged'
echo notes >notes
expect_status 1 $live --state notes
expect_one_line 'notes: is no state of warpmeter, so it is not written over'
ln -s state linked
expect_status 1 $live --state linked
expect_one_line 'linked: is a link; name the file itself'
truncate -s 2G large
expect_status 1 $live --state large
expect_one_line 'large: is larger than any state'
rm linked large
[ "$(cat notes)" = notes ] || fail "it was written over"
if [ "$(id -u)" = 0 ]; then
  cp state foreign
  chown 65534 foreign
  expect_status 1 $live --state foreign
  expect_one_line 'foreign: belongs to another user'
  rm foreign
fi
[ "$(echo *.lock)" = state.lock ] || fail "left behind: $(echo *.lock)"
! $live --state new --metrics 192.0.2.1:9 2>stderr.txt || fail "an address of others"
[ "$(echo new*)" = "new*" ] || fail "left behind: $(echo new*)"
expect_status 1 $live --state none/state
expect_one_line 'none/state.lock: cannot be opened: No such file or directory'

# What cannot be exact is refused.
expect_status 2 "$WARPMETER" live -i folder:captures --state new -o flows.csv
expect_one_line '--state takes -o FILE with --rotate TIME'
expect_status 2 $live --state new --collector udp://127.0.0.1:4739
expect_one_line '--state: not with --collector'
expect_status 2 $live --state new --biflow
expect_one_line '--state: not with --biflow or --aggregate'
expect_status 2 $live --state new --backend cuda
expect_one_line '--state: not with --backend cuda'
for stats in state "$PWD/state.lock"; do
  expect_status 2 $live --state state --stats "$stats"
  expect_one_line "--stats $stats and --state state: one file"
done
expect_status 2 $live --delete-after
expect_one_line '--delete-after takes --state FILE'
expect_status 2 "$WARPMETER" live -i lo --state new --rotate 1s -o flows.csv
expect_one_line '--state goes with -i folder:PATH'
[ ! -e new ] || fail "there is a state"
