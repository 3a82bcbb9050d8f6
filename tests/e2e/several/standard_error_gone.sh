#!/usr/bin/env bash
# Standard error that is closed, full or a pipe that nobody reads: output and exit status are what they would be.
. "$(dirname "$0")/../common.sh"
cp "$DATA/first-look.pcap" t.pcap
head -c 5000 t.pcap > cut.pcap
"$WARPMETER" extract -q -o a.csv t.pcap
head -c 700 a.csv > cut.csv
said_to() {
  local where=$1
  shift
  case $where in
    closed) "$@" 2>&- ;;
    full) "$@" 2> /dev/full ;;
    unread) "$@" 2>&5 ;;
  esac
}
mkfifo unread; exec 4<> unread 5> unread 4<&-   # a pipe that had a reader
# same STATUS COMMAND...: with OUT, which appears with status 0 or 3.
same() {
  local wanted=$1 where got
  shift
  rm -f OUT; expect_status "$wanted" "$@"
  [ ! -e OUT ] || mv OUT expected
  mv stdout.txt expected.txt
  for where in closed full unread; do
    got=0
    said_to $where "$@" > stdout.txt || got=$?
    [ $got = "$wanted" ] || fail "exit status $got, expected $wanted, standard error $where: $*"
    cmp stdout.txt expected.txt
    [ ! -e OUT ] || cmp OUT expected
    rm -f OUT
  done
  rm -f expected
}
same 0 "$WARPMETER" extract -v --format csv -o OUT t.pcap
same 0 "$WARPMETER" extract t.pcap
same 3 "$WARPMETER" extract --format csv -o OUT cut.pcap t.pcap
same 3 "$WARPMETER" extract cut.pcap
same 1 "$WARPMETER" extract missing.pcap
same 2 "$WARPMETER" extract --no-such-option t.pcap
same 2 "$WARPMETER"
same 0 "$WARPMETER" show --format csv -o OUT a.csv
same 0 "$WARPMETER" show a.csv a.csv
same 3 "$WARPMETER" show --format csv -o OUT cut.csv
same 1 "$WARPMETER" show missing.csv
same 0 "$WARPMETER" report -o OUT a.csv
same 3 "$WARPMETER" report -o OUT cut.csv
same 3 "$WARPMETER" info cut.pcap t.pcap
same 1 "$WARPMETER" extract -o /nowhere/x.csv t.pcap
same 0 "$WARPMETER" --version
