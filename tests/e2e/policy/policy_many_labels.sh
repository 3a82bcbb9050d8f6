#!/usr/bin/env bash
# A Flow Record has its first 256 labels, whatever threads and memory there are, forwards, backwards, in biflows and in
# a live run; what is left out is told, and the rounds of a packet have them all.
. "$(dirname "$0")/../common.sh"

labels() { seq -f 'a-label-that-is-rather-long-%g' 1 "$1"; }
list() { labels "$1" | sed "s/.*/'&'/" | paste -sd,; }
cat >many.toml <<EOF
[init]
default = 1
[[group]]
id = 1
match = 2
rule = [{ label = [$(list 600)] }]
[[group]]
id = 2
mode = "all"
match = "OUT"
rule = [{ label_is = 'a-label-that-is-rather-long-600', protocol = 'icmp', next = 'DROP' }, { label = 'late', scope = 'flow' }]
EOF
sed "s/label = \[.*/label = [$(list 256)] }]/; s/label_is = '[^']*', //; s/'late'/'a-label-that-is-rather-long-1'/" many.toml >fit.toml
capture=$DATA/first-look.pcap

"$WARPMETER" extract -q --policy many.toml --stats stats.json --threads 1 -o one.csv "$capture" 2>said || fail "$(cat said)"
rows=$(($(wc -l <one.csv) - 1))
[ "$(tail -n +2 one.csv | awk -F, '{ print $NF }' | sort -u)" = "$(labels 256 | paste -sd';')" ] || fail "not the first 256"
grep -q "^warpmeter: $rows flow records with more than 256 labels; the first of these are in the output" said || fail "$(cat said)"
! cut -d, -f5 one.csv | grep -qx 1 || fail "later rounds did not see label 600, or ICMP would be dropped"
grep -q "\"flow_records_with_labels_left_out\": *$rows\b" stats.json || fail "$(cat stats.json)"

for options in "--threads 4" "--memory 1M" "--batch 1"; do
  "$WARPMETER" extract -q --policy many.toml $options -o other.csv "$capture" 2>/dev/null || fail "$options"
  cmp one.csv other.csv || fail "$options"
done
"$WARPMETER" extract -q --policy many.toml --biflow -o both.csv "$capture" 2>/dev/null
[ "$(tail -n +2 both.csv | awk -F, '{ print $NF }' | sort -u)" = "$(labels 256 | paste -sd';')" ] || fail "biflows"

"$WARPMETER" extract -q --policy fit.toml -o fit.csv "$capture" 2>said || fail "$(cat said)"
[ ! -s said ] || fail "256 labels are not too many: $(cat said)"
cmp one.csv fit.csv || fail "256 labels"
"$WARPMETER" merge -q -o merged.csv one.csv
cmp one.csv merged.csv || fail "merge"

# What others have written may be more: what is not read is told.
sed '2,$s/$/;one-more/; s/labels$/labels,/' one.csv | sed "1s/\$/$(seq -f 'x%g' 64 | paste -sd,)/; 2,\$s/\$/$(printf ',y%.0s' $(seq 64))/" >more.csv
for command in merge show; do
  "$WARPMETER" $command -q -o read.csv more.csv 2>said || fail "$command: $(cat said)"
  grep -qx "warpmeter: $rows flows with more than 256 labels; the first of these are in the output" said || fail "$command: $(cat said)"
  grep -qx "warpmeter: 1 file with more than 64 columns of labels and fields; the first of these are in the output" said ||
    fail "$command: $(cat said)"
  [ "$(head -1 read.csv)" = "$(head -1 one.csv),$(seq -f 'x%g' 63 | paste -sd,)" ] || fail "$(head -1 read.csv)"
  cmp one.csv <(sed 's/,y\|,x[0-9]*//g' read.csv) || fail "$command: not the first labels"
done

if "$WARPMETER" info | grep -q 'IPFIX *built in'; then
  "$WARPMETER" merge -q -o one.ipfix -o again.csv one.csv 2>said || fail "$(cat said)"
  grep -qx "warpmeter: $rows records of IPFIX had no room for all labels and fields: 640 bytes of them are kept" said ||
    fail "$(cat said)"
fi
