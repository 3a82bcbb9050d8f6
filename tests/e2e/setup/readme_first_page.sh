#!/usr/bin/env bash
# The first page of README.md has all ways to install, and the command of the first look brings the table that stands below
# it, within 80 columns. Its examples are run by tests/docs.
. "$(dirname "$0")/../common.sh"
first_look=$(sed -n 's/^\.\/tools\/run \(extract .*\)$/\1/p' "$SOURCE/README.md" | head -n 1)
[ -n "$first_look" ] || fail "README.md does not begin with tools/run"
grep -qx './tools/test' "$SOURCE/README.md" || fail "README.md does not name tools/test"
head -n 60 "$SOURCE/README.md" > first-page.txt
grep -q '^tools/package deb && apt install ' first-page.txt || fail "README.md does not begin with what installs it"
grep -q '^pip install \. ' first-page.txt || fail "README.md does not begin with what installs it for Python"
[ -x "$SOURCE/tools/run" ] && [ -x "$SOURCE/tools/test" ] || fail "tools/run or tools/test cannot be run"
# The first block behind this heading is the command, the next one its table.
sed -n '/^## First look$/,/^SOURCE  /p' "$SOURCE/README.md" | sed '1,/^```$/d; /^```$/,$d' > command.txt
grep -q '^warpmeter extract .*data/first-look\.pcap' command.txt || fail "no command of the first look: $(cat command.txt)"
mkdir bin
ln -s "$WARPMETER" bin/warpmeter
(cd "$SOURCE"; PATH=$SCRATCH/bin:$PATH; eval "$(cat "$SCRATCH/command.txt") --format table") > table.txt 2> summary.txt
sed -n '/^SOURCE  /,/^```$/p' "$SOURCE/README.md" | grep -vx '```' > shown.txt
[ "$(grep -c . shown.txt)" -ge 3 ] || fail "README.md shows no table"
diff table.txt shown.txt || fail "the table is another one"
awk 'length($0) > 80' command.txt shown.txt > wide.txt
[ ! -s wide.txt ] || fail "wider than 80: $(cat wide.txt)"
