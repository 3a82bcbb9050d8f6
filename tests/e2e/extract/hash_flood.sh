#!/usr/bin/env bash
# Floods of flows that were prepared to share a hash, as large as to fill all ports of two networks, cost at most three
# times what flows of random addresses do.
. "$(dirname "$0")/../common.sh"
[ -z "${SANITIZE:-}" ] || { echo "the release build runs this"; exit 77; }
sizes='65536 131072'
[ "${LONG:-OFF}" = ON ] || sizes=131072
for packets in $sizes; do
  "$SOURCE/bench/attacks/run" --patterns 'interface ids' prefixes --packets $packets --rounds 3 --threads 1 \
    --build "$(dirname "$WARPMETER")" --tmp .
done
