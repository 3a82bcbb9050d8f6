#!/usr/bin/env bash
# live --streams keeps up with segments that somebody prepared to be slow: its ring loses nothing of them that it does not lose
# of others.
. "$(dirname "$0")/../e2e/common.sh"
[ -z "${SANITIZE:-}" ] || { echo "the release build runs this"; exit 77; }
[ "$(id -u)" = 0 ] || { echo "root runs this: it makes a network of its own"; exit 77; }
command -v ip >/dev/null || { echo "apt-get install iproute2 runs this: there is no ip"; exit 77; }
"$SOURCE/bench/attacks/live" --packets 50000 --build "$(dirname "$WARPMETER")" --out out || { cat out/report.md || true; fail "it lost packets"; }
