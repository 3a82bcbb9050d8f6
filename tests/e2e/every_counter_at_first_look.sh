#!/usr/bin/env bash
# data/first-look.pcap shows every TCP counter at work.
. "$(dirname "$0")/common.sh"
"$WARPMETER" extract -q -o /dev/null --stats stats.json "$DATA/first-look.pcap"
python3 - <<'PY'
import json
totals = json.load(open('stats.json'))['totals']
assert len(totals) == 15 and all(totals.values()), totals
PY
