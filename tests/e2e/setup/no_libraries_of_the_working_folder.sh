#!/usr/bin/env bash
# Started in a folder of others, the program loads no library that lies there.
. "$(dirname "$0")/../common.sh"
for library in $(ldd "$WARPMETER" | awk '/=>/ { print $1 }') libwarpmeter_parquet.so libarrow.so.2600 libparquet.so.2600; do
  echo "not a library" > "$library"
done
"$WARPMETER" --version > version.txt
"$WARPMETER" info | grep -q '^  backend' || fail "info says $("$WARPMETER" info)"
