#!/usr/bin/env bash
# `live --policy` on rings labels the flows of a wire as extract does those of a file, by however many rings and threads;
# with a bound on rounds that nothing makes fall as well; and what needs a thread for each ring is refused beside it.
. "$(dirname "$0")/live/wire.sh"
cat >policy.toml <<'TOML'
[init]
default = 1
[[group]]
id = 1
mode = "all"
match = 2
mismatch = 2
  [[group.rule]]
  nth = "3-"
  label = "third"
  [[group.rule]]
  payload_length = "1-700"
  label = ["short", "small"]
  scope = "flow"
[[group]]
id = 2
  [[group.rule]]
  way = "server"
  label = "answered"
TOML
"$WARPMETER" extract -q --duplicate-window 0 --policy policy.toml -o expected.csv "$DATA/first-look.pcap"
for label in third small answered; do grep -q $label expected.csv || fail "nothing is $label"; done
for how in '--rings 1 --threads 1' '--rings 1 --threads 3' '--rings 3 --threads 2 --rounds auto'; do
  start_live -i capture $how --duplicate-window 0 --policy policy.toml -o got.csv
  packets=$(send_frames "$DATA/first-look.pcap")
  end_live 0
  stats "offered == received == $packets and s['policy']['rounds'] > 0"
  same_but_times expected.csv got.csv
done
stats "s['changes_of_rounds'] == [] and s['policy']['truncated_packets'] == 0"

for other in '--interface-columns' '--sample-flows auto' '--streams unix:nowhere.socket'; do
  expect_status 2 "$WARPMETER" live -i capture --policy policy.toml $other
  expect_one_line '--policy'
done
no_leftovers
