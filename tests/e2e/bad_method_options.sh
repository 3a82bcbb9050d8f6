#!/usr/bin/env bash
# Options of method five-tuple, wrong or without it: exit status 2 and one line.
. "$(dirname "$0")/common.sh"
capture=$DATA/first-look.pcap
refused() {  # PATTERN OPTIONS
  expect_status 2 "$WARPMETER" extract -o out.csv "${@:2}" "$capture"
  expect_one_line "$1"
}
for method in '' '--method exact'; do
  refused '--block and --retransmission-gap go with --method five-tuple' $method --block 100
  refused '--block and --retransmission-gap go with --method five-tuple' $method --retransmission-gap 1s
done
refused "'x' is not a number" --method five-tuple --block x
refused "'-1' is not a number" --method five-tuple --block=-1
refused "'10KiB' is not a number" --method five-tuple --block 10KiB
refused "'1 s' is not a time" --method five-tuple --retransmission-gap '1 s'
for block in 0 0.4 3G; do refused '--block: 1 to 1G packets' --method five-tuple --block $block; done
refused 'method.*sometimes' --method sometimes
refused 'backend.*fpga' --backend fpga
refused "'x' does not name GPUs" --gpu x
refused "'-1' does not name GPUs" --gpu=-1
refused "'0,0' does not name GPUs" --gpu 0,0
refused "'1,' does not name GPUs" --gpu 1,
[ ! -e out.csv ] || fail "there is an output"
no_leftovers
"$WARPMETER" extract -q --backend cpu --method five-tuple --block 1G --retransmission-gap 0 -o out.csv "$capture"
