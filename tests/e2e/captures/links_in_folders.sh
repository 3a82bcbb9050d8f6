#!/usr/bin/env bash
# Whoever may put a link into a folder of captures holds up nobody by it: one that leads to a file of /proc, a pipe or a device
# is passed over, the first with one line, and the messages of the kernel stay for those for whom they are.
. "$(dirname "$0")/../common.sh"
mkdir folder
cp "$DATA/first-look.pcap" folder/a.pcap
mkfifo pipe
ln -s /proc/kmsg folder/messages
ln -s "$PWD/pipe" folder/pipe
ln -s /dev/zero folder/zeros
ln -s /proc/self/mem folder/memory.pcap
line='leads to what the kernel makes up, as /proc, and is no file of a disk; it is not read'
told() {
  [ "$(grep -c "$line" "$1")" = 2 ] || { cat "$1" >&2; fail "not two lines"; }
  grep -q "folder/messages: $line" "$1" && grep -q "folder/memory.pcap: $line" "$1" || fail "$(cat "$1")"
}
"$WARPMETER" extract -q -o wanted.csv folder/a.pcap
for command in extract reassemble decode memory; do
  out=out.$command; [ $command != extract ] || out=out.csv
  [ $command != memory ] || out=out.txt
  expect_status 3 timeout 20 "$WARPMETER" $command -q -o $out folder
  told stderr.txt
done
cmp out.csv wanted.csv
expect_status 3 timeout 20 "$WARPMETER" info folder; told stderr.txt

"$WARPMETER" live -q -i folder:folder -o live.csv --stats s.json 2> live.txt & METER=$!
trap 'kill -9 $METER 2>/dev/null || true; rm -rf "$SCRATCH"' EXIT
wait_for 20 interruptible $METER
wait_for 20 grep -q memory.pcap live.txt
kill -INT $METER
status=0; wait $METER || status=$?
[ $status = 3 ] || fail "exit status $status"
told live.txt
cmp live.csv wanted.csv

cp wanted.csv folder/
for command in show merge; do
  expect_status 0 timeout 20 "$WARPMETER" $command -q -o shown.$command.csv folder || fail "$command"
done
