#!/usr/bin/env bash
# kill -9 at any moment leaves nothing under the output's name, and an older file there as it was.
. "$(dirname "$0")/../common.sh"
for pause in 0.05 0.15 0.3 0.5; do
  echo old > kept.csv
  mkfifo pipe
  "$TRAFFIC_GEN" --packets 2000000 -o - > pipe 2>/dev/null &
  generator=$!
  "$WARPMETER" extract -q -o kept.csv - < pipe &
  meter=$!
  sleep "$pause"
  kill -9 $meter
  wait $meter 2>/dev/null || true
  kill $generator 2>/dev/null || true
  wait $generator 2>/dev/null || true
  [ "$(cat kept.csv)" = old ] || fail "the output was touched"
  rm -f pipe kept.csv.part
done
