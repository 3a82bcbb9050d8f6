#!/usr/bin/env bash
# What one kind of traffic has taken of --memory, another one uses: reassemble stays within a quarter more and 16 MB, whatever
# follows what.
. "$(dirname "$0")/../common.sh"
# What memory a sanitizer takes says nothing about the program.
[ -z "${SANITIZE:-}" ] || { echo "the release build runs this"; exit 77; }
"$SOURCE/bench/attacks/run" --patterns memory --packets 60000 --build "$(dirname "$WARPMETER")" --tmp . --out out || { cat out/report.md; fail "too much"; }
