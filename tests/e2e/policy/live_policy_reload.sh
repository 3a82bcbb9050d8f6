#!/usr/bin/env bash
# SIGHUP reads the policy of a capture again: what comes from then on meets the new one. A file that cannot be used, or
# has columns that the outputs have not, changes nothing, and one line says why.
. "$(dirname "$0")/../common.sh"
METER=
trap '[ -z "$METER" ] || kill -9 $METER 2>/dev/null; rm -rf "$SCRATCH"' EXIT
rule() { printf '[init]\ndefault = 7\n[[group]]\nid = 7\nname = "%s"\nrule = [{ %s, field = { q = "dns.name" } }]\n' "$1" "$2"; }
rule first 'label = "before"' >before.toml
rule second 'label = "after", way = "client"' >after.toml
"$TRAFFIC_GEN" --packets 2000 --flows 10 -o later.pcap
{ "$WARPMETER" extract -q --policy before.toml "$DATA/first-look.pcap"
  "$WARPMETER" extract -q --policy after.toml later.pcap | tail -n +2; } | sort >expected.csv

port=$(free_port tcp)
mkdir captures
cp before.toml policy.toml
"$WARPMETER" live -i folder:captures --policy policy.toml -o live.csv --metrics $port --stats stats.json 2>said.txt & METER=$!
wait_for 20 interruptible $METER
metric() { metrics $port && grep -qF "$1" metrics.txt; }
said() { grep -qE "$1" said.txt; }
reload() { kill -HUP $METER; wait_for 10 said "$1"; : >said.txt; }  # LINE

cp "$DATA/first-look.pcap" captures/1
wait_for 20 metric 'warpmeter_policy_rule_hits_total{group="7",name="first",rule="1"} '
reload 'policy.toml: read again, 1 group in force$'            # the same
echo 'label' >policy.toml
reload 'policy.toml: .*line 1.*; the policy stays as it was$'
: >policy.toml
reload 'policy.toml: neither groups nor init rules: .*; the policy stays as it was$'
sed 's/q = /new = /' after.toml >policy.toml
reload 'policy.toml: column new: outputs have the columns .* the policy stays as it was$'
rm policy.toml
mkfifo policy.toml                                   # which nobody writes: the capture goes on, and ends, all the same
reload 'policy.toml: cannot be read: no regular file; the policy stays as it was$'
rm policy.toml
reload 'policy.toml: cannot be read: No such file.* the policy stays as it was$'
wait_for 20 metric 'warpmeter_policy_reload_errors_total 5'  # an answer may be a tenth of a second old
metric 'warpmeter_policy_rounds_bound 0' || fail "a bound on rounds is told"
metric 'warpmeter_policy_reloads_total 1' || fail "reloads are not counted"
metric 'name="first"' || fail "another policy is in force"
cp after.toml policy.toml
reload 'policy.toml: read again'
cp later.pcap captures/2
wait_for 20 metric 'name="second",outcome="match"'
metric 'warpmeter_policy_group_packets_total{group="7",name="second",outcome="mismatch"} ' || fail "no mismatches"
kill -INT $METER
wait $METER || fail "exit status $?"
METER=
sort live.csv | diff expected.csv - || fail "other Flow Records"
grep -q '"policy"' stats.json && grep -q '"name": *"second"' stats.json || fail "not in the summary"
