#!/usr/bin/env bash
# Files that appear in a folder, in every way that writers have, are read once they are complete, and the Flow Records are
# those of extract: flows go on over files. What is no capture is passed over, also our own outputs.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets $((40000 / SCALE)) --flows 60 --rate 2000 -o whole.pcap
python3 "$(dirname "$0")/../cut_capture.py" whole.pcap 12 'piece{}.pcap'
"$WARPMETER" extract -q -o expected.csv piece*.pcap

METER=
trap '[ -z "$METER" ] || kill -9 $METER 2>/dev/null; rm -rf "$SCRATCH"' EXIT
# start_live OPTION...: until end_live.
start_live() {
  "$WARPMETER" live -q -i folder:captures --stats stats.json "$@" 2>stderr.txt 8>&- &
  METER=$!
  wait_for 20 interruptible $METER
}
end_live() {
  local got=0
  kill -INT $METER
  wait $METER || got=$?
  METER=
  [ $got = "$1" ] || { cat stderr.txt >&2; fail "exit status $got, expected $1"; }
}
stats() { python3 -c "import json; s = json.load(open('stats.json')); assert $1, s"; }

# Some are there; one is being written while it starts; others come by closing, renaming, linking; compressed ones too.
mkdir captures captures/below
cp piece0.pcap captures/z; cp piece1.pcap captures/y; cp piece11.pcap captures/below/
head -c 5000 piece2.pcap >captures/x
exec 8>>captures/x
mkfifo captures/pipe
echo hello >captures/readme.txt
start_live -o captures/flows.csv
cp piece3.pcap captures/w.part                      # complete before x, and later than it
tail -c +5001 piece2.pcap >&8
exec 8>&-
mv captures/w.part captures/w
cp piece4.pcap captures/.hidden; mv captures/.hidden captures/v
for i in 5 6; do cp piece$i.pcap captures/; done
ln piece7.pcap captures/u
gzip -c piece8.pcap >captures/t.gz 2>/dev/null
ln -s ../piece9.pcap captures/s
python3 - <<'PY'
source = open('piece10.pcap', 'rb').read()
with open('captures/r', 'wb', buffering=0) as to:   # as tcpdump does: in pieces, over a while
    for at in range(0, len(source), len(source) // 5 + 1): to.write(source[at:at + len(source) // 5 + 1])
PY
cp piece11.pcap captures/
end_live 0
cmp expected.csv captures/flows.csv || fail "other Flow Records than those of extract"
stats "s['folder']['files read'] == 12 and s['passed over'] == 1 and s['folders below not read'] == 1"
[ ! -s stderr.txt ] || { cat stderr.txt >&2; fail "said something"; }

# Into a pipe while it runs: what has ended by the time of the packets leaves, and the same at the end. A second run,
# with the first one's output in the folder, reads the same.
mkfifo pipe
cat pipe >got.csv & reader=$!
start_live --idle-timeout 500ms --rotate 1h -o captures/rotated.csv
end_live 0
"$WARPMETER" extract -q --idle-timeout 500ms -o expected.csv piece*.pcap
cmp expected.csv captures/rotated.*.csv
"$WARPMETER" live -q -i folder:captures --idle-timeout 500ms -o pipe --format csv & METER=$!
some() { [ "$(rows got.csv)" -gt 100 ]; }
wait_for 20 some
end_live 0
wait $reader
sort expected.csv >a; sort got.csv >b; cmp a b

# Files that cannot be read: one line each, the rest goes on, status 3. The folder goes away: so does the capture.
rm -rf captures; mkdir captures
cp piece0.pcap captures/
start_live -o flows.csv
head -c 3000 piece1.pcap >captures/cut
printf '\xd4\xc3\xb2\xa1' >captures/head
cp piece2.pcap captures/
head -c 3000 piece3.pcap >captures/cut_too  # it is told of when what came before it has been read
lines() { [ "$(grep -c . stderr.txt)" = "$1" ]; }
wait_for 20 lines 3
mv captures gone
wait_for 20 lines 4
status=0; wait $METER || status=$?; METER=
[ $status = 3 ] || fail "exit status $status"
grep -qE 'captures/cut: damaged at byte [0-9]+: ' stderr.txt && grep -q 'captures/head: file header cut short' stderr.txt &&
  grep -q 'captures: the folder is gone' stderr.txt || { cat stderr.txt >&2; fail "other lines"; }
stats "len(s['unreadable']) == 1 and len(s['damage']) == 2 and s['folder']['files read'] == 4 and s['folder']['gone']"
"$WARPMETER" extract -q -o expected.csv gone 2>/dev/null || true
cmp expected.csv flows.csv

# Links to nowhere and around in a circle, there at the beginning or not: told once, whatever else happens in the folder;
# the rest is read. It is what extract says of them.
mkdir captures
cp piece0.pcap captures/a
ln -s nowhere captures/b
start_live -o flows.csv
wait_for 20 lines 1
ln -s c captures/c
wait_for 20 lines 2
ln -s d captures/.d; mv captures/.d captures/d
cp piece1.pcap captures/e
wait_for 20 lines 3
mkdir captures/f; ln -s f captures/g
cp piece2.pcap captures/h
end_live 3
lines 3 || { cat stderr.txt >&2; fail "other lines"; }
stats "len(s['unreadable']) == 3 and s['folder']['files read'] == 3"
expect_status 3 "$WARPMETER" extract -q --stats files.json -o expected.csv captures
cmp flows.csv expected.csv
python3 - <<'PY'
import json
told, of_files = (json.load(open(name))['unreadable'] for name in ('stats.json', 'files.json'))
assert sorted(told) == sorted(of_files), (told, of_files)
PY

mkdir noted
cp piece?.pcap noted
"$WARPMETER" extract -q --annex all -o expected.csv noted
"$WARPMETER" live -q -i folder:noted --annex all --duration 10ms -o annex.csv
cmp annex.csv expected.csv

expect_status 1 "$WARPMETER" live -i folder:none -o other.csv
expect_one_line 'none: cannot be watched: No such file or directory'
expect_status 2 "$WARPMETER" live -i folder:gone -i lo
expect_one_line 'folder:PATH goes with no other -i'
expect_status 2 "$WARPMETER" live -i folder:captures --rings 2 -o flows.csv
expect_one_line 'rings means nothing for -i folder:PATH'
cp piece0.pcap gone/flows.csv
expect_status 1 "$WARPMETER" live -i folder:gone -o gone/flows.csv
expect_one_line 'gone/flows.csv: is an input too'
no_leftovers

# Where no run file can be written that is told while nothing is lost yet.
mkdir quiet
"$WARPMETER" live -q -i folder:quiet --duration 10ms --tmpdir none -o quiet.csv 2>stderr.txt || fail "exit status $?"
expect_one_line 'none: cannot create a run file: No such file or directory .*--tmpdir.*: the capture will fail when'

# What reads folders below is told in words of live, which has no --recursive.
mkdir quiet/below
"$WARPMETER" live -i folder:quiet --duration 10ms -o quiet.csv 2>stderr.txt || fail "exit status $?"
grep -q '^  folders below *1 not read (each takes a live of its own)$' stderr.txt ||
  { cat stderr.txt >&2; fail "no word of the folder below"; }
