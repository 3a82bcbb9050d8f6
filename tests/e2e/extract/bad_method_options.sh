#!/usr/bin/env bash
# Options of method five-tuple, of GPUs and of memory, wrong or without what they go with: exit status 2 and one line.
. "$(dirname "$0")/../common.sh"
capture=$DATA/first-look.pcap
refused() {  # PATTERN OPTIONS
  expect_status 2 "$WARPMETER" extract -o out.csv "${@:2}" "$capture"
  expect_one_line "$1"
}
for method in '' '--method exact'; do
  refused '--block and --retransmission-gap go with --method five-tuple' $method --block 100
  refused '--block and --retransmission-gap go with --method five-tuple' $method --retransmission-gap 1s
done
refused '--block x: not a whole number' --method five-tuple --block x
refused '--block -1: less than 0' --method five-tuple --block=-1
refused '--block 10KiB: not a whole number' --method five-tuple --block 10KiB
refused '--retransmission-gap 1 s: not a time' --method five-tuple --retransmission-gap '1 s'
refused '--block 0.4: not a whole number' --method five-tuple --block 0.4
for block in 0 3G; do refused '--block: 1 to 1G packets' --method five-tuple --block $block; done
refused 'method.*sometimes' --method sometimes
refused 'backend.*fpga' --backend fpga
refused '--gpu x: not the numbers of GPUs' --gpu x
refused '--gpu -1: not the numbers of GPUs' --gpu=-1
refused '--gpu 0,0: not the numbers of GPUs' --gpu 0,0
refused '--gpu 1,: not the numbers of GPUs' --gpu 1,
for option in '--gpu 0' '--gpu all' '--gpu-memory 1G'; do
  refused '--gpu and --gpu-memory go with --backend auto or cuda: cpu takes no GPU' --backend cpu $option
done
refused '--run-memory: more than --memory, of which it is a part \(8 MiB\)' --memory 8M --run-memory 8193K
refused '--run-memory: more than --memory, of which it is a part' --run-memory 1000000T
[ ! -e out.csv ] || fail "there is an output"
no_leftovers
"$WARPMETER" extract -q --memory 8M --run-memory 8M -o out.csv "$capture"
"$WARPMETER" extract -q --backend cpu --method five-tuple --block 1G --retransmission-gap 0 -o out.csv "$capture"
