#!/usr/bin/env bash
# tools/setup-cuda that cannot get its packages says so and leaves no folder that a build would trust.
. "$(dirname "$0")/../common.sh"
python3 -c 'import ensurepip' 2>/dev/null || { echo "python3 with venv would run this"; exit 77; }
export PIP_NO_INDEX=1 PIP_FIND_LINKS= PIP_CONFIG_FILE=/dev/null

expect_status 1 "$SOURCE/tools/setup-cuda" "$PWD/made/compiler"
tail -n 1 stderr.txt | grep -q '^tools/setup-cuda: pip cannot' || { cat stderr.txt >&2; fail "no clear last line"; }
[ ! -s stdout.txt ] || fail "standard output is not empty"
[ -z "$(ls -A made)" ] || fail "left behind: $(ls -A made)"

mkdir mine
echo precious > mine/file
expect_status 1 "$SOURCE/tools/setup-cuda" "$PWD/mine"
expect_one_line 'mine exists and was not made by this script'
[ "$(cat mine/file)" = precious ] || fail "a folder of somebody else was touched"

expect_status 2 "$SOURCE/tools/setup-cuda" one two
