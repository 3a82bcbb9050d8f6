#!/usr/bin/env bash
# A build with a sanitizer: all that the program is linked from is sanitized, and for ThreadSanitizer what tests are linked
# with. One library that is not may lend its inline functions, those of std::shared_ptr among them, to all the others.
. "$(dirname "$0")/../common.sh"
build=$(dirname "$WARPMETER")
shopt -s nullglob
libraries=("$build"/src/*.a "$build"/kernels/*.a)
case $SANITIZE in
  *address*) begins=__asan_init ;;
  *thread*) begins=__tsan_init; libraries+=("$build"/tests/*.a "$build"/tests/reference/*.a) ;;
  *) echo "a build with AddressSanitizer or ThreadSanitizer runs this"; exit 77 ;;
esac
[ ${#libraries[@]} -gt 20 ] || fail "only ${#libraries[@]} libraries in $build"
# The line of a symbol is LIBRARY:OBJECT:ADDRESS TYPE SYMBOL.
nm -A "${libraries[@]}" >symbols.txt
awk -v begins=$begins '
  NF > 1 { object = $0; sub(/:[^:]*$/, "", object); objects[object]; if ($NF == begins) sanitized[object] }
  END { for (object in objects) if (!(object in sanitized)) print object }' symbols.txt >others.txt
[ ! -s others.txt ] || { cat others.txt >&2; fail "not sanitized"; }
