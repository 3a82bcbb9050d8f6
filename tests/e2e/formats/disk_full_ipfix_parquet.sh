#!/usr/bin/env bash
# A full disk under IPFIX and Parquet output, one file or many: exit status 1, one line, nothing half-written.
. "$(dirname "$0")/../common.sh"
mkdir small
why=$(mount -t tmpfs -o size=64k tmpfs small 2>&1) || { echo "root with the right to mount runs this: $why"; exit 77; }
trap 'umount "$SCRATCH/small"; rm -rf "$SCRATCH"' EXIT
"$TRAFFIC_GEN" --packets 30000 --mean-packets 4 -o many.pcap
full() {
  local name=$1
  shift
  expect_status 1 "$WARPMETER" extract -q -o "small/$name" "$@" many.pcap
  expect_one_line "small/${name%.*}.*: cannot be written: No space left on device"
  [ -z "$(find small -name '*.part')" ] || fail "left behind: $(ls small)"
}
formats=$("$WARPMETER" info)
tried=0
for format in IPFIX Parquet; do
  grep -q "$format *built in" <<<"$formats" || continue
  tried=$((tried + 1))
  full "out.${format,,}"
  [ -z "$(ls -A small)" ] || fail "left behind: $(ls small)"
  full "out.${format,,}" --rotate 20K
  rm -f small/*
done
[ $tried -gt 0 ] || { echo "a build with IPFIX or Parquet runs this"; exit 77; }
