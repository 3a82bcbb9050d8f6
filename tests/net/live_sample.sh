#!/usr/bin/env bash
# live --sample-flows: with the secret of an extract the same flows, for every way of rings and threads; without one, others in
# every run. Every packet is metered or counted.
. "$(dirname "$0")/live/wire.sh"
"$TRAFFIC_GEN" --packets 6000 --mean-packets 8 -o traffic.pcap
"$WARPMETER" extract -q --duplicate-window 0 -o all.csv traffic.pcap
WARPMETER_SAMPLE_SEED=known "$WARPMETER" extract -q --sample-flows 1/4 --duplicate-window 0 -o expected.csv traffic.pcap
for how in "--ring packet" "--ring packet --rings 2" "--ring packet --threads 2"; do
  # shellcheck disable=SC2086
  WARPMETER_SAMPLE_SEED=known start_live -i capture $how --sample-flows 1/4 --duplicate-window 0 -o got.csv
  sent=$(send_frames traffic.pcap)
  end_live 0
  stats "received == $sent and s['ignored']['not sampled'] > 0 and s['sample of flows'] == '1/4'"
  same_but_times expected.csv got.csv
done
for run in 1 2; do
  start_live -i capture --sample-flows 1/4 --duplicate-window 0 -o got$run.csv
  sent=$(send_frames traffic.pcap)
  end_live 0
  stats "received == $sent and s['ignored']['not sampled'] > 0"
  keys() { cut -d, -f1-5 "$1" | sort -u; }
  [ "$(rows got$run.csv)" -gt 0 ] && [ "$(comm -13 <(keys all.csv) <(keys got$run.csv) | wc -l)" = 0 ] || fail "other flows"
done
! cmp -s <(keys got1.csv) <(keys got2.csv) || fail "two runs have the same flows"
