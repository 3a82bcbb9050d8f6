#!/usr/bin/env bash
# Where a set may go: into a folder that decode makes, or one that is empty, which keeps its rights; nowhere else, with one
# line before anything is read. What was there stays.
. "$(dirname "$0")/../common.sh"
capture=$DATA/first-look.pcap
"$WARPMETER" extract -q -o wanted.csv "$capture"
holds_set() {
  [ "$(ls "$1" | wc -l)" = 16 ] || fail "$1 holds $(ls -A "$1")"
  "$WARPMETER" extract -q -o got.csv "$1"; cmp got.csv wanted.csv
  [ -z "$(find . -name '*.part-*')" ] || fail "left behind: $(find . -name '*.part-*')"
}
refused() { makes_nothing "$1" "$2" "$WARPMETER" decode "${@:3}"; }
umask 022
"$WARPMETER" decode -q -o new "$capture"; holds_set new
[ "$(stat -c %a new)" = 755 ] || fail "not the rights of a new folder"
(umask 077; "$WARPMETER" decode -q -o private/ "$capture"); holds_set private
[ "$(stat -c %a private)" = 700 ] || fail "not the rights that umask wants"
mkdir -m 710 empty
inode=$(stat -c %i empty)
"$WARPMETER" decode -q -o empty --stats empty/stats.json "$capture"
grep -q '"exit status": 0' empty/stats.json; rm empty/stats.json
holds_set empty
[ "$(stat -c '%a %i' empty)" = "710 $inode" ] || fail "it is another folder"
mkdir here; (cd here; "$WARPMETER" decode -q -o . "$capture"); holds_set here
mkdir in; cp "$capture" in; "$WARPMETER" decode -q -o in/out in; holds_set in/out

touch file
ln -s new link; ln -s nowhere dead; mkdir target; ln -s target aside
refused 1 '^warpmeter: new: the folder is not empty; ' -o new "$capture"
refused 1 '^warpmeter: in: the folder is not empty; ' -o in in
refused 1 '^warpmeter: \.\.: the folder is not empty; ' -o .. "$capture"
refused 1 '^warpmeter: file: is there, and no folder$' -o file "$capture"
for link in link dead aside aside/; do refused 1 "^warpmeter: ${link%/}: is a link; " -o $link "$capture"; done
refused 1 '^warpmeter: no/such: No such file or directory$' -o no/such "$capture"
refused 2 "^warpmeter: --output '': there is no value$" -o '' "$capture"
refused 2 '^warpmeter: -o -: a set is a folder of files, no stream ' -o - "$capture"
refused 1 '^warpmeter: x/y: cannot be written: No such file or directory$' -o x --stats x/y "$capture"
refused 2 '^warpmeter: x: is another output too \(x\)$' -o x/ --stats x "$capture"
refused 1 ': is an input too ' -o x --stats in/first-look.pcap in
refused 2 '^warpmeter: --partitions 3: not a power of two' -o x --partitions 3 "$capture"
refused 2 '^warpmeter: --partitions 128: 1 to 64' -o x --partitions 128 "$capture"
refused 2 '^warpmeter: --stdin-name: none of the inputs is standard input' -o x --stdin-name tap "$capture"
refused 2 "^warpmeter: filter 'tcp prt 1': .*nor is there a file of that name" -o x "$capture" 'tcp prt 1'
refused 1 '^warpmeter: standard input: the file is empty$' -o x -
refused 1 '^warpmeter: new: no capture files in this folder$' -o x new
refused 1 '^warpmeter: new/part-01-of-16.segments: not a .* \(segments are read by warpmeter extract, and from files only\)$' \
  -o x new/part-01-of-16.segments

# Two at once: one of them gets the folder.
rm -rf empty; mkdir empty
for folder in fresh empty; do one_gets_it $folder decode; holds_set $folder; done

# What of a folder is not read is told.
mkdir -p folder/below; cp "$capture" folder/a.pcap; echo text > folder/text
"$WARPMETER" decode -o left --stats left.stats folder folder/a.pcap 2> left.txt
for line in 'passed over *1 file without captures' 'read before *1 file under another name' 'folders below *1 not read (--recursive)'; do
  grep -q "^  $line\$" left.txt || fail "not told: $line: $(cat left.txt)"
done
grep -q '"passed over": 1' left.stats && grep -q '"folders below not read": 1' left.stats || fail "$(cat left.stats)"
no_leftovers
