#!/usr/bin/env bash
# Every `warpmeter live` that README.md and docs/live.md show runs as it stands there, only not for so long.
. "$(dirname "$0")/live/wire.sh"
for interface in eth0 eth1 eth2; do
  ip link add $interface type veth peer name of-$interface
  ip link set $interface up
done
warpmeter() { "$WARPMETER" "$@"; }
for page in README.md docs/live.md; do
  awk '/^```/ { inside = !inside && $0 == "```"; next } inside && /^warpmeter live / { sub(/  +#.*/, ""); print }' \
    "$SOURCE/$page" >>commands.txt
done
while read -r line; do
  [[ $line != *.parquet* ]] || "$WARPMETER" info | grep -q 'Parquet *built in' || { echo "left out: $line"; continue; }
  [[ $line != *collector* ]] || continue  # nowhere
  if [[ $line == *--advise* ]]; then  # no capture
    (eval "$line") | grep -q '^Nothing was changed' || fail "$line"
    continue
  fi
  line=$(sed -E 's/ --duration [^ ]*//; s/ live / live --duration 100ms /; s/ \| jq.*/ | cat/' <<<"$line")
  (eval "$line") >stdout.txt 2>stderr.txt </dev/null || { cat stderr.txt; fail "$line"; }
  grep -q 'packets read  *0 ' stderr.txt || { cat stderr.txt; fail "$line: no summary"; }
done <commands.txt
[ "$(grep -c . commands.txt)" -ge 4 ] || fail "only $(grep -c . commands.txt) commands"
