#!/usr/bin/env bash
# The packets of the flows that a filter selects, and no others: metered again they make these flows, also where others of
# the same key stand between them; for any threads, memory and form, by numbers and by times.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 60000 --mean-packets 60 --flows 200 --vlan 0.1 -o t.pcap
meter=(--duplicate-window 0 --active-timeout 50ms --idle-timeout 20ms)
"$WARPMETER" extract -q "${meter[@]}" -o all.csv t.pcap
columns=src_addr,dst_addr,src_port,dst_port,protocol,start_ns,end_ns,packets,bytes
keys() { "$WARPMETER" show -q "$@" --columns $columns --csv | LC_ALL=C sort; }

several=$("$WARPMETER" show -q all.csv --aggregate --csv | rows /dev/stdin)
[ "$several" -lt "$(rows all.csv)" ] || fail "no key has several flows"
middle=$("$WARPMETER" show -q all.csv --columns start_ns --csv | sort -n | sed -n "$(($(rows all.csv) / 2))p")
for filter in 'retransmitted_segments > 0' 'end_reason = active' "start > $middle" 'packets > 20 and not tcp' 'ip6 or port 443'; do
  keys all.csv -f "$filter" >wanted.txt
  [ "$(wc -l <wanted.txt)" -gt 2 ] || fail "$filter: selects nothing"
  for how in '--threads 1' '--threads 4' '--threads 2 --memory 8M --run-memory 64K'; do
    "$WARPMETER" packets -q t.pcap -f "$filter" "${meter[@]}" $how -o some.pcap
    [ -f first.pcap ] || cp some.pcap first.pcap
    cmp some.pcap first.pcap
  done
  "$WARPMETER" packets -q t.pcap -f "$filter" "${meter[@]}" -o some.pcapng.zst
  for some in some.pcap some.pcapng.zst; do
    "$WARPMETER" extract -q "${meter[@]}" -o again.csv $some
    keys again.csv | cmp - wanted.txt || fail "$filter: $some makes other flows"
  done
  # The same flows from a file, by their times.
  "$WARPMETER" show -q all.csv -f "$filter" -o flows.json
  "$WARPMETER" packets -q t.pcap --flows flows.json -o timed.pcap
  cmp timed.pcap first.pcap || fail "$filter: --flows gives others"
  "$WARPMETER" show -q all.csv -f "$filter" --times us -o flows-us.csv
  cat t.pcap | "$WARPMETER" packets -q - --flows flows-us.csv -o - >timed.pcapng
  "$WARPMETER" packets -q timed.pcapng -o timed.pcap
  cmp timed.pcap first.pcap || fail "$filter: --flows of microseconds gives others"
  rm first.pcap
done

# Both directions of what a biflow's filter selects; where timeouts cut neither, so that who answers whom depends on no others.
meter=(--duplicate-window 0)
"$WARPMETER" extract -q "${meter[@]}" --biflow -o both.csv t.pcap
for filter in 'reverse_packets > 20' unanswered; do
  "$WARPMETER" packets -q t.pcap --biflow -f "$filter" "${meter[@]}" -o some.pcap
  "$WARPMETER" extract -q "${meter[@]}" --biflow -o again.csv some.pcap
  "$WARPMETER" show -q both.csv -f "$filter" --columns $columns,reverse_packets --csv | LC_ALL=C sort >wanted.txt
  [ "$(wc -l <wanted.txt)" -gt 2 ] || fail "$filter: selects nothing"
  "$WARPMETER" show -q again.csv --columns $columns,reverse_packets --csv | LC_ALL=C sort | cmp - wanted.txt
  "$WARPMETER" packets -q t.pcap --flows both.csv -f "$filter" -o timed.pcap
  cmp timed.pcap some.pcap || fail "$filter: --flows gives others"
done

# VLAN ids in the key, and what they came to.
"$WARPMETER" packets t.pcap --key-vlan -f 'vlan_id > 0' -o tagged.pcap --stats stats.json 2>said.txt
"$WARPMETER" extract -q --key-vlan -o tagged.csv tagged.pcap
[ "$("$WARPMETER" show -q tagged.csv -f 'vlan_id = 0' --csv | rows /dev/stdin)" = 0 ] || fail "some have no tag"
grep -qE '^  flows selected +[0-9]+ of [0-9]+$' said.txt || fail "said $(cat said.txt)"
python3 - <<'PY'
import csv, json
stats = json.load(open('stats.json'))
written = sum(int(row['packets']) for row in csv.DictReader(open('tagged.csv')))
assert stats['packets_written'] == written > 0, (stats['packets_written'], written)
assert 0 < stats['flows_selected'] < stats['flows'], stats
assert stats['packets_read'] == 60000, stats
PY
no_leftovers
