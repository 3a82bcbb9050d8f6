#!/usr/bin/env bash
# `policy explain` has groups in the order, and paths of the length, that a reference gives; needs its folder.
. "$(dirname "$0")/../common.sh"
status=0
"$SOURCE/tools/compare_policies" --binary "$WARPMETER" > compared.txt || status=$?
cat compared.txt
[ "$status" = 77 ] || [ "$status" = 0 ] || fail "they differ"
exit "$status"
