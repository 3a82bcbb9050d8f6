#!/usr/bin/env bash
# The output is the same, byte for byte, for any number of threads, however the input is cut into batches, and where memory
# makes lists leave early.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets $((60000 / SCALE)) --flows 300 --frame-size 900 --duplicate 0.01 --reorder 0.03 -o all.pcap
python3 "$SOURCE/tests/e2e/cut_capture.py" all.pcap 3 {}.pcap
gzip -k all.pcap
for memory in 1M 3M 1G; do
  for form in pcap pcapng; do
    "$WARPMETER" coalesce -q --no-push --memory $memory --threads 1 all.pcap -o wanted.$form --stats wanted.json
    for threads in 2 3 8; do
      "$WARPMETER" coalesce -q --no-push --memory $memory --threads $threads all.pcap -o x.$form --stats x.json
      cmp x.$form wanted.$form
      diff <(grep -vE '"(seconds|bytes_read|bytes read)"' x.json) <(grep -vE '"(seconds|bytes_read|bytes read)"' wanted.json)
    done
    # What a pipe gives, what is unpacked, and several files are other batches.
    "$WARPMETER" coalesce -q --no-push --memory $memory --threads 3 - -o x.$form < <(cat all.pcap); cmp x.$form wanted.$form
    "$WARPMETER" coalesce -q --no-push --memory $memory --threads 2 all.pcap.gz -o x.$form; cmp x.$form wanted.$form
    "$WARPMETER" coalesce -q --no-push --memory $memory --threads 3 0.pcap 1.pcap 2.pcap -o x.$form; cmp x.$form wanted.$form
  done
  grep -q '"memory": 0,' wanted.json && early=none || early=some
  echo "--memory $memory: $early for lack of memory, $(grep -m 1 '"joined"' wanted.json)"
  [ $memory != 1M ] || [ $early = some ] || fail "no list left early: $(cat wanted.json)"
done
[ "$(grep -c '"exit_status": 0' wanted.json)" = 1 ] && [ "$(stat -c %s wanted.pcap)" -lt "$(stat -c %s all.pcap)" ]
no_leftovers
