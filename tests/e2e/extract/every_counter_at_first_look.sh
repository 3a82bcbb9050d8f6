#!/usr/bin/env bash
# data/first-look.pcap shows every TCP counter at work, but for strays, which a healthy network does not have.
. "$(dirname "$0")/../common.sh"
"$WARPMETER" extract -q -o /dev/null --stats stats.json "$DATA/first-look.pcap"
python3 - <<'PY'
import json
totals = json.load(open('stats.json'))['totals']
assert totals.pop('stray_segments') == 0
assert len(totals) == 15 and all(totals.values()), totals
PY
