#!/usr/bin/env bash
# live --backend cuda, on the CUDA machine in software (tests/simulator): the Flow Records of a wire are those of the CPU,
# when all are written at the end, and when they leave while it runs, by deadlines of batches and on a silent wire too; with
# one GPU and with several. Without a GPU it says so before anything is captured; --backend auto is the CPU.
. "$(dirname "$0")/live/wire.sh"
MACHINE=$(dirname "$WARPMETER")/tests/simulator/warpmeter_on_machine
[ -x "$MACHINE" ] || { echo "a build with a CUDA compiler (tools/setup-cuda) runs this"; exit 77; }

if ! "$WARPMETER" info | grep -q '^  backend *cuda:'; then
  expect_status 1 "$WARPMETER" live -i capture --backend cuda -o none.csv
  expect_one_line '^warpmeter: --backend cuda: (no NVIDIA|the NVIDIA driver|no GPU that works|built without CUDA)'
  [ ! -e none.csv ] || fail "there is an output"
fi
start_live -i capture --duration 1ms -o auto.csv
end_live 0 none
grep -qE '^  backend +cpu, .*\(live\)' live.txt || { cat live.txt; fail "auto is not the CPU"; }

"$TRAFFIC_GEN" --packets 600 --mean-packets 15 --flows 40 -o traffic.pcap
"$WARPMETER" extract -q --duplicate-window 0 --idle-timeout 0 -o expected.csv traffic.pcap
WARPMETER=$MACHINE
CUDA="--backend cuda --gpu-memory 70M --batch 500 --threads 1 --duplicate-window 0"

# on_machine SETTINGS OPTION...
on_machine() {
  export CUDA_MACHINE=$1,report=report.txt
  shift
  start_live -i capture $CUDA "$@"
}
nothing_wrong() { [ ! -s report.txt ] || { cat report.txt; fail "the machine found something"; }; }

on_machine order=random,races=ours -o got.csv
sent=$(send_frames traffic.pcap)
end_live 0
stats "received == $sent and s['backend']['name'] == 'cuda' and s['metered on the CPU'] == 0"
same_but_times expected.csv got.csv
nothing_wrong

"$WARPMETER" extract -q --backend cpu --duplicate-window 0 --method five-tuple --block 200 -o blocks.csv traffic.pcap
on_machine order=random --method five-tuple --block 200 -o got.csv
send_frames traffic.pcap >/dev/null
end_live 0
same_but_times blocks.csv got.csv
nothing_wrong

# Where a silence ended what there the end of the input did.
sed -i 's/,4,\([0-9]*\)$/,1,\1/' expected.csv
for gpus in 1 2; do
  mkfifo pipe
  cat pipe >got.csv &
  reader=$!
  on_machine order=random,gpus=$gpus --gpu all --idle-timeout 1s --max-latency 200ms -o pipe --format csv
  grep -q 'Flow Records are written as they end' live.txt
  sent=$(send_frames traffic.pcap)
  all_there() { [ "$(rows got.csv)" = "$(rows expected.csv)" ]; }
  wait_for $((20 * SCALE)) all_there  # before the end
  same_but_times expected.csv got.csv
  end_live 0
  wait $reader
  same_but_times expected.csv got.csv
  stats "received == $sent and s['idle flows let go'] > 10 and s['rows'] == $(rows expected.csv)"
  nothing_wrong
  rm pipe
done

# What is not possible, and what fails on the way.
expect_status 2 "$WARPMETER" live -i capture $CUDA --method five-tuple --rotate 1s -o none.csv
expect_one_line '^warpmeter: --backend cuda --method five-tuple: Flow Records cannot leave while the capture runs'
for failure in malloc:3 launch:300; do  # at the start, and while it waits for packets
  CUDA_MACHINE=fail=$failure expect_status 1 "$WARPMETER" live -q -i capture $CUDA --max-latency 100ms --rotate 1h -o none.csv
  expect_one_line '^warpmeter: GPU: '
done
[ -z "$(ls none* 2>/dev/null)" ] || fail "there is an output"
no_leftovers
