#!/usr/bin/env bash
# `live --annex` on rings notes of a wire's flows what extract notes of those of a file, by however many rings and threads,
# also where a policy labels them and where flows leave while more packets come; what needs a thread for each ring is
# refused.
. "$(dirname "$0")/live/wire.sh"
cat >policy.toml <<'TOML'
[init]
default = 1
[[group]]
id = 1
  [[group.rule]]
  way = "server"
  label = "answered"
TOML
for with in '' '--policy policy.toml'; do
  "$WARPMETER" extract -q --duplicate-window 0 --annex all $with -o expected.csv "$DATA/first-look.pcap"
  [ "$(grep -c '2-4-8\|2-1-3\|,64,' expected.csv)" -gt 10 ] || fail "first-look.pcap tells too little"
  for how in '--rings 1 --threads 1' '--rings 1 --threads 3' '--rings 3 --threads 2'; do
    # shellcheck disable=SC2086
    start_live -i capture $how --duplicate-window 0 --annex all $with -o got.csv
    packets=$(send_frames "$DATA/first-look.pcap")
    end_live 0
    stats "offered == received == $packets"
    same_but_times expected.csv got.csv
  done
  # Flow Records leave while the capture goes on.
  mkfifo out.csv
  cat out.csv >got.csv &
  reader=$!
  # shellcheck disable=SC2086
  start_live -i capture --max-latency 50ms --duplicate-window 0 --annex all $with --format csv -o out.csv
  send_frames "$DATA/first-look.pcap" >/dev/null
  end_live 0
  wait $reader
  rm out.csv
  same_but_times expected.csv got.csv
done

for other in '--interface-columns' '--sample-flows auto' '--streams unix:nowhere.socket' '--backend cuda'; do
  # shellcheck disable=SC2086
  expect_status 2 "$WARPMETER" live -i capture --annex ttl $other
  expect_one_line '--annex'
done
no_leftovers
