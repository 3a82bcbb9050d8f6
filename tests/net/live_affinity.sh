#!/usr/bin/env bash
# Threads of a capture have the CPUs that --affinity gives them, and no others have; interrupts that cannot be moved are
# no capture. What comes out is the same.
. "$(dirname "$0")/live/wire.sh"
allowed=$(python3 -c 'import os; print(*sorted(os.sched_getaffinity(0)))')
first=${allowed%% *} last=${allowed##* }
"$WARPMETER" extract -q --duplicate-window 0 -o expected.csv "$DATA/first-look.pcap"

# The CPUs of the threads of the capture, each once.
cpus_of_threads() { awk '$1 == "Cpus_allowed_list:" { print $2 }' /proc/"$LIVE"/task/*/status | sort -u; }
has_cpu() { cpus_of_threads | grep -qx "$1"; }

# metered_on OPTION...: that the Flow Records are those of extract.
metered_on() {
  start_live -i capture --duplicate-window 0 -o got.csv "$@"
  wait_for $((10 * SCALE)) has_cpu "$cpu"
  sent=$(send_frames "$DATA/first-look.pcap")
  end_live 0
  stats "received == $sent"
  same_but_times expected.csv got.csv
}
cpu=$last; metered_on --affinity "$last" --threads 2 --rings 2
cpu=$last; metered_on --affinity "$first,$last" --threads 2 --rings 3
cpu=$first; metered_on --affinity auto --rings 2

# Off: those that the program had.
start_live -i capture -o got.csv --affinity off
[ "$(cpus_of_threads)" = "$(awk '$1 == "Cpus_allowed_list:" { print $2 }' /proc/self/status)" ] || fail "a thread was moved"
end_live 0

# A wire that is no card has no interrupts.
expect_status 1 "$WARPMETER" live -i capture --affinity auto --set-irq-affinity -o none.csv
expect_one_line 'capture: --set-irq-affinity: no interrupts of its queues are known'
expect_status 2 "$WARPMETER" live -i capture --set-irq-affinity -o none.csv
expect_one_line 'set-irq-affinity goes with --affinity auto or a list'
expect_status 2 "$WARPMETER" live -i capture --affinity 1000 -o none.csv
expect_one_line 'CPU 1000 is not for this process; these are: '
expect_status 2 "$WARPMETER" live -i capture --affinity most -o none.csv
expect_one_line "affinity 'most': auto, off, or CPUs like 0,2-5"

# Advice changes nothing, and goes alone.
if command -v ethtool >/dev/null; then ethtool -K capture gro on; fi
for look in 1 2; do
  expect_status 0 "$WARPMETER" live --advise capture
  cp stdout.txt advice.$look
done
cmp advice.1 advice.2
grep -q '^Nothing was changed' advice.1
! command -v ethtool >/dev/null || grep -q 'ethtool -K capture gro off' advice.1 || { cat advice.1; fail "GRO is on, which is not told"; }
expect_status 1 "$WARPMETER" live --advise nowhere
expect_one_line 'there is no network interface nowhere; there are: '
for other in '-i capture' '-o none.csv' '--duration 1s' 'tcp'; do
  expect_status 2 "$WARPMETER" live --advise capture $other
  expect_one_line 'advise goes alone: it captures nothing, so '
done
[ ! -e none.csv ] || fail "an output of a run that failed"
no_leftovers
