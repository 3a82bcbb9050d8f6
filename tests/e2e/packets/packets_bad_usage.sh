#!/usr/bin/env bash
# What `packets` refuses, in one line each; no output is left, and no input is written over.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 3000 -o t.pcap
cp t.pcap kept.pcap
"$WARPMETER" extract -q -o flows.csv t.pcap
"$WARPMETER" decode -q -o set t.pcap
refused() {
  local status=$1 line=$2
  shift 2
  expect_status "$status" "$WARPMETER" packets -q "$@"
  expect_one_line "$line"
}
refused 2 'output is required' t.pcap -f tcp
refused 2 'which form.*tables in .csv' t.pcap -o out.ipfix
refused 2 'no column' t.pcap -f 'pakets > 1' -o out.pcap
refused 2 'segments hold no bytes of packets' set -o out.pcap
refused 2 'read twice with -f' - -f tcp -o out.pcap
mkfifo pipe
refused 2 'read twice with -f' pipe -f tcp -o out.pcap
refused 2 '^warpmeter: --idle-timeout: it goes with -f' t.pcap --idle-timeout 1s -o out.pcap
refused 2 '^warpmeter: --biflow: it goes with -f' t.pcap --biflow -o out.pcap
refused 2 '^warpmeter: --biflow: not with --flows' t.pcap --flows flows.csv --biflow -o out.pcap
refused 2 '^warpmeter: --active-timeout: it goes with -f, and without --flows' t.pcap --flows flows.csv --active-timeout 1s -o out.pcap
refused 2 'only biflows have: it goes with --biflow' t.pcap -f unanswered -o out.pcap
refused 2 'f asks for vlan_id: it goes with --key-vlan' t.pcap -f 'not tcp or vlan_id = 20' -o out.pcap
refused 2 'f asks for labels, .* goes with --flows FILE of extract --policy' t.pcap -f 'labels = http' -o out.pcap
refused 2 'standard input is named twice' - --flows - -o out.pcap
refused 1 'absent.csv' t.pcap --flows absent.csv -o out.pcap
refused 1 't.pcap' t.pcap --flows t.pcap -o out.pcap
refused 1 't.pcap' t.pcap -f tcp -o t.pcap
refused 2 'more flows are selected|--memory' t.pcap -f ip -o out.pcap --memory 1
for stats in t.pcap; do refused 1 't.pcap' t.pcap -f tcp -o out.pcap --stats "$stats"; done
cmp t.pcap kept.pcap
[ ! -e out.pcap ] || fail "there is an output"
# Flows in a file that is the output, and the other way round.
cp flows.csv flows.pcap
refused 1 'flows.pcap' t.pcap --flows flows.pcap -o flows.pcap
cmp flows.csv flows.pcap

# A file that is missing is no pipe: the others are read.
expect_status 3 "$WARPMETER" packets -q t.pcap absent.pcap -f tcp -o some.pcap
expect_one_line 'absent.pcap'
"$WARPMETER" packets -q t.pcap -f tcp -o whole.pcap
cmp some.pcap whole.pcap
# Flows of another capture, and a filter that none of one direction meets.
"$TRAFFIC_GEN" --packets 2000 --seed 99 -o other.pcap
"$WARPMETER" extract -q -o other.csv other.pcap
expect_status 0 "$WARPMETER" packets -q t.pcap --flows other.csv -o none.pcap
expect_one_line 'no packet that was read belongs to a flow that is selected'
expect_status 0 "$WARPMETER" packets -q t.pcap --flows flows.csv -f unanswered -o none.pcap
expect_one_line 'only biflows have'

# A full disk, and standard output.
expect_status 1 "$WARPMETER" packets -q t.pcap -f tcp -o /dev/full
"$WARPMETER" packets -q t.pcap -f tcp -o - >piped.pcapng
"$WARPMETER" packets -q piped.pcapng -o a.pcap
"$WARPMETER" packets -q t.pcap -f tcp -o b.pcap
cmp a.pcap b.pcap
no_leftovers
