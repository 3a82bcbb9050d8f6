#!/usr/bin/env bash
# The version stands in one place, CMake's project(): the program says that one, and the newest part of CHANGELOG.md is of it.
. "$(dirname "$0")/../common.sh"
version=$(sed -n 's/^project(warpmeter VERSION \([0-9.]*\) .*/\1/p' "$SOURCE/CMakeLists.txt")
[ -n "$version" ] || fail "no version in CMakeLists.txt"
[ "$("$WARPMETER" --version)" = "warpmeter $version" ] || fail "--version"
"$WARPMETER" info | head -n 1 | grep -qx "warpmeter $version" || fail "info"
newest=$(sed -n 's/^## \[\(.*\)\] - \(unreleased\|[0-9-]*\)$/\1/p' "$SOURCE/CHANGELOG.md" | head -n 1)
[ "$newest" = "$version" ] || fail "CHANGELOG.md begins with $newest, not with $version"
if [ -e "$SOURCE/CITATION.cff" ]; then
  grep -qx "version: $version" "$SOURCE/CITATION.cff" || fail "CITATION.cff has another version"
fi
