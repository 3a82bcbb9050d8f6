#!/usr/bin/env bash
# A program with capabilities of its own (setcap) writes Parquet where it is installed as it was built for; elsewhere it loads
# nothing from beside it, where anybody may have put it, and says so.
. "$(dirname "$0")/../common.sh"
[ -z "${SANITIZE:-}" ] || { echo "a build without sanitizers runs this"; exit 77; }
need_parquet
command -v setcap >/dev/null && command -v setpriv >/dev/null && [ "$(id -u)" = 0 ] && why=$(unshare -m true 2>&1) ||
  { echo "root, setcap (libcap2-bin) and unshare run this${why:+: $why}"; exit 77; }
build=$(dirname "$WARPMETER")
prefix=$(sed -n 's/^CMAKE_INSTALL_PREFIX:[^=]*=//p' "$build/CMakeCache.txt")
[ -d "$prefix/lib" ] || { echo "a machine with a folder $prefix/lib runs this"; exit 77; }
chmod 755 .
cmake --install "$build" --prefix "$PWD/prefix" >install.txt || { cat install.txt >&2; fail "cmake --install"; }
why=$(setcap cap_net_raw+ep prefix/bin/warpmeter 2>&1) || { echo "a file system with capabilities runs this: $why"; exit 77; }
# info [FOLDER]: as another user, with this folder in the place of the one that it was built for.
info() {
  unshare -m sh -c '[ -z "$1" ] || mount --bind "$1" "$2" || exit 1
    cd / && exec setpriv --reuid 65534 --clear-groups "$3" info' sh "${1:-}" "$prefix/lib" "$PWD/prefix/bin/warpmeter"
}
info >info.txt
grep -q "Parquet *a program with rights of its own (setcap) loads nothing from beside it, and there is no $prefix/lib/.*AmbientCapabilities" info.txt ||
  { cat info.txt; fail "it is not told"; }
info "$PWD/prefix/lib" >info.txt
grep -q 'Parquet *built in (Arrow' info.txt || { cat info.txt; fail "it is not found where it is installed"; }
