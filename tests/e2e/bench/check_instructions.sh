#!/usr/bin/env bash
# tools/check_instructions says what packets and records cost, and fails where a baseline allows less.
. "$(dirname "$0")/../common.sh"
command -v valgrind >/dev/null || { echo "valgrind runs this"; exit 77; }
CHECK=("$SOURCE/tools/check_instructions" --build "$(dirname "$WARPMETER")" --baseline baseline)
expect_status 0 "${CHECK[@]}" --update
grep -qE '^packet [1-9][0-9]{2,3}$' baseline || fail "$(cat baseline)"
grep -qE '^record [1-9][0-9]{3}$' baseline || fail "$(cat baseline)"
[ "$(grep -c ': ok$' stdout.txt)" = 2 ] || fail "$(cat stdout.txt)"
awk '$1 == "record" { $2 = int($2 * 0.9) } { print }' baseline > less && mv less baseline
expect_status 1 "${CHECK[@]}"
grep -q 'a packet, .*: ok$' stdout.txt || fail "$(cat stdout.txt)"
grep -q 'a record, +1[01]\..*: too many$' stdout.txt || fail "$(cat stdout.txt)"
