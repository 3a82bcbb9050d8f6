#!/usr/bin/env bash
# Options of live that would change nothing of what is captured are refused, one line, before anything is captured; what
# means something to one of several -i is taken.
. "$(dirname "$0")/../common.sh"
mkdir captures
live() { "$WARPMETER" live -o flows.csv --duration 10ms "$@"; }

refused() {  # PATTERN OPTION...
  expect_status 2 live "${@:2}"
  expect_one_line "$1"
  [ ! -e flows.csv ] || fail "an output of a run that was refused"
}
for option in '--ring auto' '--rings 2' '--ring-size 64M' '--set-irq-affinity --affinity 0' --no-promiscuous -p; do
  name=${option%% *}
  [ $name != -p ] || name=--no-promiscuous
  refused "^warpmeter: $name means nothing for -i folder:PATH: it is for network interfaces" -i folder:captures $option
  refused "^warpmeter: $name means nothing for -i hpcap:N: " -i hpcap:0 $option
  [ $name = --rings ] || refused "^warpmeter: $name means nothing for -i shm:NAME: " -i shm:nobody $option
  [ $name = --rings ] || refused "^warpmeter: $name .* -i shm:NAME and hpcap:N: " -i shm:nobody -i hpcap:0 $option
done
refused 'state goes with -i folder:PATH' -i lo --state state
refused 'delete-after takes --state' -i lo --delete-after
refused 'ring pcap has one ring, so --rings means nothing' -i lo --ring pcap --rings 2
refused '^warpmeter: --gpu goes with --backend cuda' -i lo --gpu 0
refused '^warpmeter: --gpu-memory goes with --backend cuda' -i lo --backend cpu --gpu-memory 1G
for options in '-o other.csv' '--biflow --rotate 1h' '--aggregate --rotate 1h' '--rotate 1M'; do
  refused '^warpmeter: --max-latency means nothing where all Flow Records are written when the capture ends' \
    -i folder:captures --max-latency 1s $options
done

# Taken.
taken() {
  local status=0
  "$WARPMETER" live -q --duration 10ms "$@" >stdout.txt 2>stderr.txt || status=$?
  [ $status = 0 ] || { cat stderr.txt >&2; fail "exit status $status of live $*"; }
}
taken -i folder:captures -o rotated.csv --rotate 1h --max-latency 100ms
taken -i folder:captures -o plain.csv --affinity 0
mkfifo pipe; cat pipe >/dev/null &
taken -i folder:captures -o pipe --format csv --max-latency 100ms
taken -i "shm:idle-$$" -o fed.csv --rings 2 --affinity 0
# One that is not there is another fault.
expect_status 1 live -i "shm:idle-$$" -i nowhere --ring packet --rings 2 --ring-size 1M --no-promiscuous
expect_one_line 'there is no network interface nowhere'
