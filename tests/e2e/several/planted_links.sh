#!/usr/bin/env bash
# A link that somebody else put into a folder where others may write is not followed: what it leads to may be for root alone.
# One of root, or of the folder's owner, is. Nor is an output written to where such a link leads.
. "$(dirname "$0")/../common.sh"
[ "$(id -u)" = 0 ] || { echo "root runs this, to put links of others there"; exit 77; }
chmod 755 .
capture=$DATA/first-look.pcap
mkdir -m 700 secret
cp "$capture" secret/a.pcap
"$WARPMETER" extract -q -o secret/flows.csv secret/a.pcap
cut -d, -f1-4 secret/flows.csv | tail -n +2 >secret_flows.txt
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

# A folder that somebody made where others may write gives no trust to him who owns it, nor do those below it.
rm -rf folder; mkdir folder; chmod 1777 folder
cp wanted.csv folder/ours.csv
mkdir -p folder/his/deep
ln -s "$PWD/secret/flows.csv" folder/his/deep/flows.csv
chown -Rh 65534:65534 folder/his
expect_status 3 "$WARPMETER" show -q --recursive -o out.csv folder
told stderr.txt his/deep/flows.csv
cmp out.csv <("$WARPMETER" show -q -o - folder/ours.csv)

# somebody PROGRAM: runs it as a user who owns nothing but what he makes, in the folder; STRANGER is its process.
somebody() {
  python3 -c "import fcntl, os, signal, time; os.setgroups([]); os.setgid(65534); os.setuid(65534)$1" folder &
  STRANGER=$!
  trap 'kill -9 $STRANGER 2>/dev/null || true; rm -rf "$SCRATCH"' EXIT
  wait_for 20 test -e folder/ready
}
gone() { kill -9 $STRANGER; wait $STRANGER 2>/dev/null || true; }
empty_folder() { rm -rf folder; mkdir folder; chmod 777 folder; cp other/b.pcap folder/b.pcap; cp wanted.csv folder/b.csv; }

# What takes the place of a file between two looks is not followed, nor waited for.
swap='
import os, sys
os.chdir(sys.argv[1])
def file(name, text):
    with open(name, "wb") as to: to.write(text)
for kind in ("pcap", "csv"):
    file("plain." + kind + ".part", open("b." + kind, "rb").read())
    os.symlink(os.path.abspath("../secret/" + {"pcap": "a.pcap", "csv": "flows.csv"}[kind]), "link." + kind + ".part")
    os.mkfifo("pipe." + kind + ".part")
file("ready", b"")
while True:
    for kind in ("pcap", "csv"):
        for what in ("plain", "link", "plain", "pipe"):
            os.link(what + "." + kind + ".part", "new.part", follow_symlinks=False)
            os.rename("new.part", "a." + kind)
'
empty_folder
somebody "$swap"
for run in $(seq 30); do
  for command in extract merge; do
    status=0; timeout 20 "$WARPMETER" $command -q -o out.csv folder 2>stderr.txt || status=$?
    [ $status = 0 ] || [ $status = 3 ] || { cat stderr.txt >&2; fail "run $run of $command: $status"; }
    ! grep -qFf secret_flows.txt out.csv || fail "run $run of $command: flows that the stranger may not see"
  done
done
gone

# Who holds a lease on his file holds up nobody by it (the kernel would have whoever opens it wait for 45 s).
empty_folder
somebody '
import fcntl, os, signal, sys, time
os.chdir(sys.argv[1])
signal.signal(signal.SIGIO, signal.SIG_IGN)
files = []
for kind in ("pcap", "csv"):
    with open("a." + kind, "wb") as to: to.write(open("b." + kind, "rb").read())
    files.append(os.open("a." + kind, os.O_RDWR))
    fcntl.fcntl(files[-1], fcntl.F_SETLEASE, fcntl.F_WRLCK)
open("ready", "w").close()
time.sleep(600)
'
for command in extract show; do
  expect_status 3 timeout 20 "$WARPMETER" $command -q -o out.csv folder
  grep -q '^warpmeter.*folder/a\..*: another program has a lease on it; it is not waited for' stderr.txt ||
    { cat stderr.txt >&2; fail "no line about the lease"; }
done
gone
