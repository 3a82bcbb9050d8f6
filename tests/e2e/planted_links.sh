#!/usr/bin/env bash
# A link that somebody else put into a folder where others may write is not followed: what it leads to may be for root alone.
# One of root, or of the folder's owner, is. Nor is an output written to where such a link leads.
. "$(dirname "$0")/common.sh"
[ "$(id -u)" = 0 ] || { echo "root runs this, to put links of others there"; exit 77; }
chmod 755 .
capture=$DATA/first-look.pcap
mkdir -m 700 secret
cp "$capture" secret/a.pcap
"$WARPMETER" extract -q -o secret/flows.csv secret/a.pcap
mkdir other
"$TRAFFIC_GEN" --packets 100 -o other/b.pcap
"$WARPMETER" extract -q -o wanted.csv other/b.pcap

# plant MODE: a folder where somebody may put things, and has put a link; it holds a capture, too.
plant() {
  rm -rf folder; mkdir folder; chmod "$1" folder
  cp other/b.pcap folder/b.pcap
  ln -s "$PWD/secret/a.pcap" folder/a.pcap
  ln -s "$PWD/secret" folder/below
  ln -s b.pcap folder/c.pcap   # of root
  chown -h 65534:65534 folder/a.pcap folder/below
}
line='a link of another user in a folder where others may write; it is not followed'
told() { [ "$(grep -c "folder/$2: $line" "$1")" = 1 ] || { cat "$1" >&2; fail "not one line about $2"; }; }

for mode in 777 1777 775; do
  plant $mode
  expect_status 3 "$WARPMETER" extract -q -o out.csv folder
  told stderr.txt a.pcap
  cmp out.csv wanted.csv
  expect_status 3 "$WARPMETER" extract -q --recursive -o out.csv folder
  told stderr.txt a.pcap; told stderr.txt below
  cmp out.csv wanted.csv
  mkdir folder/theirs; ln -s "$PWD/secret/a.pcap" folder/theirs/x.pcap
  chown -h 65534:65534 folder/theirs folder/theirs/x.pcap
  expect_status 3 "$WARPMETER" extract -q --recursive -o out.csv folder
  told stderr.txt theirs/x.pcap
  cmp out.csv wanted.csv
  rm -r folder/theirs
  for command in reassemble decode info; do
    options="-q -o out.$command"; [ $command != info ] || options=
    expect_status 3 "$WARPMETER" $command $options folder
    told stderr.txt a.pcap
    rm -rf out.decode out.reassemble
  done

  "$WARPMETER" live -q -i folder:folder -o live.csv 2> live.txt & METER=$!
  trap 'kill -9 $METER 2>/dev/null || true; rm -rf "$SCRATCH"' EXIT
  wait_for 20 interruptible $METER
  wait_for 20 grep -q a.pcap live.txt
  ln -s "$PWD/secret/a.pcap" later; chown -h 65534:65534 later; mv later folder/d.pcap
  wait_for 20 grep -q d.pcap live.txt
  kill -INT $METER
  status=0; wait $METER || status=$?
  [ $status = 3 ] || { cat live.txt >&2; fail "exit status $status"; }
  told live.txt a.pcap; told live.txt d.pcap
  cmp live.csv wanted.csv
done

# What somebody leads to in the same folder is read all the same, under its own name.
plant 777
ln -s b.pcap folder/0.pcap; chown -h 65534:65534 folder/0.pcap
"$WARPMETER" live -q -i folder:folder -o live.csv --duration 1s 2> live.txt || true
cmp live.csv wanted.csv

# The owner of a folder may put links there, and so may somebody whom it was given to.
plant 777; chown 65534 folder
"$WARPMETER" extract -q -o out.csv folder
"$WARPMETER" extract -q -o both.csv other/b.pcap secret/a.pcap
cmp out.csv both.csv
plant 755
"$WARPMETER" extract -q -o out.csv folder
cmp out.csv both.csv

# Flow Records.
plant 777
ln -s "$PWD/secret/flows.csv" folder/flows.csv; chown -h 65534:65534 folder/flows.csv
cp wanted.csv folder/ours.csv
for command in show merge; do
  expect_status 3 "$WARPMETER" $command -q -o out.csv folder
  told stderr.txt flows.csv
done

# An output is written to no place that somebody else leads to, be it by a folder.
plant 777
ln -s "$PWD/secret/new.csv" folder/new.csv; chown -h 65534:65534 folder/new.csv
for name in new.csv below/new.csv; do
  expect_status 1 "$WARPMETER" extract -q -o folder/$name "$capture"
  expect_one_line "folder/$name: cannot be written: Permission denied"
  [ ! -e secret/new.csv ] || fail "it was written where the link leads"
done
for command in decode reassemble; do
  expect_status 1 "$WARPMETER" $command -q -o folder/below/new/ "$capture"
  expect_one_line "folder/below/new: leads through $PWD/folder/below, another user's link"
  [ ! -e secret/new ] || fail "$command wrote where the link leads"
done
