#!/usr/bin/env bash
# `live --policy` notes of flows what extract does, also where Flow Records leave while more packets come, in batches of
# any size; flows that live when it is killed have what was noted of them.
. "$(dirname "$0")/../common.sh"
METER=
trap '[ -z "$METER" ] || kill -9 $METER 2>/dev/null; rm -rf "$SCRATCH"' EXIT
cat >policy.toml <<'TOML'
[init]
default = 1
[[group]]
id = 1
mode = "all"
match = 2
  [[group.rule]]
  nth = "3-"
  label = "third"
  [[group.rule]]
  payload_length = "1-700"
  label = ["short", "small"]
  scope = "flow"
  [[group.rule]]
  flags = "F"
  label = "closes"
  scope = "flow"
[[group]]
id = 2
mismatch = "DROP"
  [[group.rule]]
  nth = "1-40"
TOML
"$TRAFFIC_GEN" --packets 6000 --flows 40 --rate 1000 -o whole.pcap
short=(--policy policy.toml --idle-timeout 100ms --active-timeout 300ms)
"$WARPMETER" extract -q "${short[@]}" -o expected.csv --stats expected.json whole.pcap
grep -q ',third;' expected.csv && grep -q 'short;small' expected.csv || fail "too little is noted"
mkdir captures
cp whole.pcap captures/
without_end() { cut -d, -f-24,27- "$@" | sort; }  # who ends a flow, time or the next packet, may differ
for batch in 1 7 1000; do
  "$WARPMETER" live -q -i folder:captures --duration 1ms --rotate 1h --batch $batch --threads 2 "${short[@]}" \
    -o live$batch.csv --stats live.json
  diff <(without_end expected.csv) <(without_end live$batch.*csv) || fail "batches of $batch: other Flow Records"
done
python3 - <<'PY'
import json
a, b = (json.load(open(f))['policy'] for f in ('expected.json', 'live.json'))
assert a == b and a['dropped_packets'] > 0, (a, b)
PY

# All at the end.
"$WARPMETER" extract -q --policy policy.toml -o expected.csv whole.pcap
"$WARPMETER" live -q -i folder:captures --duration 1ms --policy policy.toml -o live.csv
cmp expected.csv live.csv || fail "other Flow Records at the end"

# Many flows live at the end, and Flow Records leave every few milliseconds: none leaves without what is noted of it.
"$TRAFFIC_GEN" --packets $((150000 / SCALE)) --flows $((40000 / SCALE)) -o many.pcap
mkdir of_many
mv many.pcap of_many/
"$WARPMETER" extract -q --policy policy.toml -o all_of_many.csv of_many/many.pcap
for turn in 1 2 3; do
  "$WARPMETER" live -q -i folder:of_many --duration 1ms --max-latency 10ms --rotate 1h --policy policy.toml -o many$turn.csv
  diff -q <(without_end all_of_many.csv) <(without_end many$turn.*csv) || fail "turn $turn: other Flow Records of many"
done

# Killed behind a step.
"$WARPMETER" live -q -i folder:captures --state state --rotate 1h --policy policy.toml -o killed.csv & METER=$!
stepped() { kill -HUP $METER && ls -A | grep -q 'living.part$'; }
wait_for 20 interruptible $METER
wait_for 20 stepped
kill -9 $METER
wait $METER 2>/dev/null || true
METER=
"$WARPMETER" live -q -i folder:captures --duration 1ms --state state --rotate 1h --policy policy.toml -o killed.csv
diff <(without_end expected.csv) <(without_end killed*csv | uniq) || fail "other Flow Records of those that lived"

misuse() { expect_status 2 "$WARPMETER" live -i folder:captures --policy "$@"; }
misuse policy.toml --backend cuda; expect_one_line 'no payload on a GPU'
echo '[[group]]' >broken.toml
misuse broken.toml; expect_one_line 'broken.toml: '
