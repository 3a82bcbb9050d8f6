#!/usr/bin/env bash
# A pipe that somebody else put where an output is to be, in a folder like /tmp, gets no data, and nobody waits for its
# reader; one's own is written to, and any in a folder that is not everybody's. What holds payload goes to no pipe of somebody
# else where a group may write, and replaces no file of theirs.
. "$(dirname "$0")/../common.sh"
[ "$(id -u)" = 0 ] || { echo "root runs this, to put pipes of others there"; exit 77; }
capture=$DATA/first-look.pcap
"$WARPMETER" extract -q -o whole.csv "$capture"
mkdir shared plain; chmod 1777 shared; chmod 777 plain
# refused NAME COMMAND...: with a pipe of somebody else under that name, even if nobody ever reads it.
refused() {
  local name=$1
  shift
  mkfifo -m 666 "$name"; chown 65534:65534 "$name"
  expect_status 1 timeout $((20 * SCALE)) "$@"
  expect_one_line "$name: cannot be written: Permission denied"
  [ -p "$name" ] || fail "$name was replaced"
}
refused shared/a.csv "$WARPMETER" extract -q -o shared/a.csv "$capture"
refused shared/a.json "$WARPMETER" extract -q -o a.csv --stats shared/a.json "$capture"
refused shared/b.csv "$WARPMETER" show -q -o shared/b.csv whole.csv
refused shared/a.html "$WARPMETER" report -o shared/a.html whole.csv
refused shared/r.000001.csv "$WARPMETER" extract -q --rotate 1M -o shared/r.csv "$capture"
ln -s shared/a.csv link.csv
expect_status 1 timeout $((20 * SCALE)) "$WARPMETER" extract -q -o link.csv "$capture"
expect_one_line 'link.csv: cannot be written: Permission denied'

mkfifo shared/ours.csv plain/theirs.csv; chown 65534:65534 plain/theirs.csv
for pipe in shared/ours.csv plain/theirs.csv; do
  timeout $((20 * SCALE)) cat "$pipe" > read.csv & reader=$!
  timeout $((20 * SCALE)) "$WARPMETER" extract -q -o "$pipe" "$capture"
  wait $reader
  cmp read.csv whole.csv
done

# The members of a group have a folder together; one of them has left something there for root.
"$TRAFFIC_GEN" --packets 100 -o secret.pcap
for mode in 3775 2775; do
  rm -rf group; mkdir group; chmod $mode group
  for name in out.streams out.json; do
    install -m 600 -o 65534 -g 65534 /dev/null group/$name
    expect_status 1 "$WARPMETER" reassemble -q -o group/$name secret.pcap
    expect_one_line "group/$name: cannot be written: Permission denied"
    [ ! -s group/$name ] || fail "group/$name has payload, and is another user's"
  done
  refused group/pipe.streams "$WARPMETER" reassemble -q -o group/pipe.streams secret.pcap
done
"$WARPMETER" reassemble -q -o group/new.streams secret.pcap
"$WARPMETER" reassemble -q -o group/new.streams secret.pcap
[ "$(stat -c '%a %u' group/new.streams)" = "600 0" ] || fail "$(stat -c '%a %u' group/new.streams)"
# The owner of a folder is no stranger there: the file stays theirs.
rm -rf group; mkdir -m 755 group; install -m 600 -o 65534 -g 65534 /dev/null group/out.streams; chown 65534:65534 group
"$WARPMETER" reassemble -q -o group/out.streams secret.pcap
[ "$(stat -c '%a %u' group/out.streams)" = "600 65534" ] || fail "$(stat -c '%a %u' group/out.streams)"
