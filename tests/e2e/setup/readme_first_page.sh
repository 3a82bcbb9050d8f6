#!/usr/bin/env bash
# The first page of README.md has all ways to install, and the table of the first look is the one that it shows. Its examples
# are run by tests/docs.
. "$(dirname "$0")/../common.sh"
first_look=$(sed -n 's/^\.\/tools\/run \(extract .*\)$/\1/p' "$SOURCE/README.md" | head -n 1)
[ -n "$first_look" ] || fail "README.md does not begin with tools/run"
grep -qx './tools/test' "$SOURCE/README.md" || fail "README.md does not name tools/test"
head -n 60 "$SOURCE/README.md" > first-page.txt
grep -q '^tools/package deb && apt install ' first-page.txt || fail "README.md does not begin with what installs it"
grep -q '^pip install \. ' first-page.txt || fail "README.md does not begin with what installs it for Python"
[ -x "$SOURCE/tools/run" ] && [ -x "$SOURCE/tools/test" ] || fail "tools/run or tools/test cannot be run"
(cd "$SOURCE"; eval "'$WARPMETER' $first_look -q --format table") > table.txt
sed -n '/^SOURCE  /,/^```$/p' "$SOURCE/README.md" | grep -vxE '\.\.\.|```' > shown.txt
[ "$(grep -c . shown.txt)" -ge 3 ] || fail "README.md shows no table"
while read -r line; do grep -qxF -- "$line" table.txt || fail "not in the table: $line"; done < shown.txt
