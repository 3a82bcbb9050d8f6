#!/usr/bin/env bash
# Usage errors: exit status 2 and one line.
. "$(dirname "$0")/../common.sh"
capture=$DATA/first-look.pcap
expect_status 2 "$WARPMETER"
expect_status 2 "$WARPMETER" frobnicate
expect_one_line 'frobnicate is neither a command nor a file; commands are extract, '
for _ in without with; do
  expect_status 2 "$WARPMETER" cluster capture.pcap -o flows.csv
  expect_one_line "^warpmeter: cluster is a command of the Python package: pip install '[.]\[cluster\]' "
  mkdir -p cluster   # a folder of that name changes nothing
done
expect_status 2 "$WARPMETER" extract
expect_one_line 'INPUT'
expect_status 2 "$WARPMETER" extract --threads 0 "$capture"
expect_one_line 'threads'
expect_status 2 "$WARPMETER" extract --idle-timeout soon "$capture"
expect_one_line '--idle-timeout soon: not a time: '
expect_status 2 "$WARPMETER" extract --memory lots "$capture"
expect_one_line '--memory lots: not a size: '
expect_status 2 "$WARPMETER" extract -o flows.xyz "$capture"
expect_one_line 'which format'
expect_status 2 "$WARPMETER" extract "$capture" tcp port
expect_one_line "filter 'tcp port'"

# An option that takes one value, and gets several: in our words, whatever the option.
for option in '--threads 1' '--format csv' '--rotate 1M' '--idle-timeout 1s' '--memory 1G' '--method exact'; do
  expect_status 2 "$WARPMETER" extract $option $option "$capture"
  expect_one_line "^warpmeter: ${option% *}: it takes one value, and 2 were given: ${option#* }, ${option#* } [(]see warpmeter extract --help[)]$"
done

# A size or a time?
expect_status 2 "$WARPMETER" extract -o x.csv --rotate 300 "$capture"
expect_one_line '^warpmeter: --rotate 300: a size such as 300M, or a time such as 300s[?]$'
