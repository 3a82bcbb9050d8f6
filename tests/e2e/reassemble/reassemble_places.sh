#!/usr/bin/env bash
# Where outputs of reassemble may go: a folder that it makes, or one that is empty, which keeps its rights; a file in place of an
# old one, with its rights; nowhere else, with one line. What was there stays, and where one output fails there is none. What is made
# anew holds what somebody has sent, and nobody else may read it, whatever the umask.
. "$(dirname "$0")/../common.sh"
capture=$DATA/first-look.pcap
"$WARPMETER" reassemble -q -o wanted -o wanted.json "$capture"
holds_streams() {
  diff -r wanted "$1" || fail "$1 holds something else"
  [ -z "$(find . -name '*.part-*')" ] || fail "left behind: $(find . -name '*.part-*')"
}
refused() { makes_nothing "$1" "$2" "$WARPMETER" reassemble "${@:3}"; }
umask 022
"$WARPMETER" reassemble -q -o new "$capture"; holds_streams new
(umask 0; "$WARPMETER" reassemble -q -o open/ -o open.json -o open.streams -o open.json.gz "$capture"); holds_streams open
[ "$(stat -c %a new open | sort -u)" = 700 ] || fail "not the rights of a new folder"
[ "$(stat -c %a new/* open/* open.* | sort -u)" = 600 ] || fail "others may read what somebody has sent"
mkdir -m 710 empty
"$WARPMETER" reassemble -q -o empty/of.json -o empty --stats empty/stats "$capture"
cmp empty/of.json wanted.json; grep -q '"exit status": 0' empty/stats; rm empty/of.json empty/stats
holds_streams empty
[ "$(stat -c %a empty)" = 710 ] || fail "it is another folder"
[ "$(stat -c %a empty/* | sort -u)" = 600 ] || fail "others may read what somebody has sent"
mkdir in; cp "$capture" in; "$WARPMETER" reassemble -q -o in/out in; holds_streams in/out
mkdir named.json; "$WARPMETER" reassemble -q -o named.json/ "$capture"; holds_streams named.json
echo old > old.json; chmod 640 old.json; "$WARPMETER" reassemble -q -o old.json "$capture"; cmp old.json wanted.json
[ "$(stat -c %a old.json)" = 640 ] || fail "somebody had given it other rights"

touch file
ln -s new link; mkdir target; ln -s target aside
refused 1 '^warpmeter: new: the folder is not empty; ' -o new "$capture"
refused 1 '^warpmeter: new: the folder is not empty; ' -o x.json -o new "$capture"
refused 1 '^warpmeter: in: the folder is not empty; ' -o in in
refused 1 '^warpmeter: file: is there, and no folder$' -o file "$capture"
refused 2 '^warpmeter: -o in/first-look.pcap: which form\? Names end in .json or .streams, .*; -o in/first-look.pcap/ is a folder' \
  -o in/first-look.pcap in
refused 1 '^warpmeter: in/first-look.pcap: is there, and no folder$' -o in/first-look.pcap/ in
refused 1 '^warpmeter: aside: is a link; ' -o aside "$capture"
refused 1 '^warpmeter: no/such: No such file or directory$' -o no/such "$capture"
refused 1 '^warpmeter: no/such.json: cannot be written: No such file or directory$' -o x -o no/such.json "$capture"
refused 1 '^warpmeter: x/y: cannot be written: No such file or directory$' -o x -o x.streams --stats x/y "$capture"
refused 2 '^warpmeter: ./x.json: is another output too ' -o x.json -o ./x.json "$capture"
refused 2 '^warpmeter: x: is another output too ' -o x -o x/ "$capture"
refused 2 '^warpmeter: x: is another output too ' -o x/ --stats x "$capture"
cp "$capture" in.json; cp "$capture" in.streams
for format in json streams; do
  refused 1 "^warpmeter: in.$format: is an input too " -o in.$format -o x in.$format
  cmp in.$format "$capture"
done
refused 1 '^warpmeter: standard input: the file is empty$' -o x -o x.json -
expect_status 1 sh -c "\"$WARPMETER\" reassemble -q -o - in.streams >> in.streams"
grep -q 'is an input too' stderr.txt || fail "$(cat stderr.txt)"
cmp in.streams "$capture"

# What the summary says of one block, and of files in the wrong order.
"$WARPMETER" reassemble -o /dev/null "$capture" port 54705 2> told.txt
grep -q '^  submitted  *1.32 KiB in 1 block$' told.txt || fail "$(cat told.txt)"
"$TRAFFIC_GEN" --packets 1000 --flows 10 --rate 100 -o long.pcap
python3 "$SOURCE/tests/e2e/cut_capture.py" long.pcap 2 'part{}.pcap'
"$WARPMETER" reassemble --order given -o /dev/null part1.pcap part0.pcap 2> told.txt
grep -q '^  time runs back  *1 time between files$' told.txt || fail "$(cat told.txt)"

# A thousand bytes in reverse, of which memory has no room for all.
python3 - > reverse.pcap <<'PY'
import struct, sys
out = sys.stdout.buffer
out.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 101))
for i in range(1000):
    ip = struct.pack('>BBHHHBBH8s', 0x45, 0, 41, 0, 0, 64, 6, 0, bytes([10, 0, 0, 1, 10, 0, 0, 2]))
    tcp = struct.pack('>HHIIBBHHH', 1000, 80, 1000 - i, 0, 0x50, 0x10, 1000, 0, 0)
    out.write(struct.pack('<IIII', 1_700_000_000, i, 41, 41) + ip + tcp + b'x')
PY
"$WARPMETER" reassemble --memory 1M --gap-packets 1M -o /dev/null reverse.pcap 2> told.txt
grep -q '^  for lack of memory  1 block submitted, 0 connections ended (--memory)$' told.txt || fail "$(cat told.txt)"

# Standard output by another name, too; and endings whatever their case.
for name in - /dev/stdout /dev/fd/1; do
  "$WARPMETER" reassemble -q --format json -o $name "$capture" > told.json; cmp told.json wanted.json
done
"$WARPMETER" reassemble -q -o UPPER.JSON "$capture"; cmp UPPER.JSON wanted.json
refused 2 '^warpmeter: --format is for -o -; ' --format json -o x/ "$capture"

# A folder for what waits that is none is told before anything is read; who needs none is not held up.
for order in '-o x.json' '-o x.streams'; do
  for tmpdir in nowhere file; do
    refused 1 "^warpmeter: $tmpdir: cannot create a run file: " --tmpdir $tmpdir $order "$capture"
  done
done
"$WARPMETER" reassemble -q --tmpdir nowhere --unordered -o x.streams -o x "$capture"; rm -r x x.streams

# A folder of another user, who could put links into it meanwhile.
if [ "$(id -u)" = 0 ]; then
  mkdir theirs && chown 65534 theirs
  expect_status 1 "$WARPMETER" reassemble -q -o theirs "$capture"
  expect_one_line 'theirs: the folder is another user.s; name one that is not there yet'
  expect_status 1 "$WARPMETER" decode -q -o theirs "$capture"
  [ -z "$(ls -A theirs)" ] || fail "written into: $(ls -A theirs)"
  rmdir theirs
fi

# Two at once: one of them gets the folder.
rm -rf empty; mkdir empty
for folder in fresh empty; do one_gets_it $folder reassemble; holds_streams $folder; done

# What of a folder is not read is told.
mkdir -p folder/below; cp "$capture" folder/a.pcap; echo text > folder/text
"$WARPMETER" reassemble -o left.json --stats left.stats folder folder/a.pcap 2> left.txt
for line in 'passed over *1 file without captures' 'read before *1 file under another name' 'folders below *1 not read (--recursive)'; do
  grep -q "^  $line\$" left.txt || fail "not told: $line: $(cat left.txt)"
done
grep -q '"passed over": 1' left.stats && grep -q '"folders below not read": 1' left.stats || fail "$(cat left.stats)"
no_leftovers
