#!/usr/bin/env bash
# Without a GPU that works, or without the one that was asked for: --backend cuda says so and leaves nothing, --backend
# auto meters on the CPU and says why. For a small capture, and for what comes through a pipe, it looks for none but a GPU
# that is named, and a line says that such options have no effect. Where nothing tells of a GPU, and none is named, the summary
# says nothing of it; --stats always does.
. "$(dirname "$0")/../common.sh"
capture=$DATA/first-look.pcap
"$WARPMETER" info > info.txt
"$WARPMETER" extract -q --backend cpu -o cpu.csv "$capture"
small='so small an input is done as soon without a GPU'
unknown='how much comes is not known, and a GPU is worth it for very much alone'
! grep -q 'built without CUDA' info.txt || { small='built without CUDA' && unknown=$small; }
any_trace=; [ ! -e /dev/nvidiactl ] && [ ! -e /proc/driver/nvidia ] && [ ! -e /dev/dxg ] || any_trace=yes
backend_is() {  # WHY: in the summary, and in s.json
  local line="^  backend +cpu, [0-9]+ threads?( \\($1.*)$"
  [ -n "$named$any_trace" ] || line='^  backend +cpu, [0-9]+ threads?$'
  grep -qE "$line" stderr.txt || { cat stderr.txt >&2; fail "not /$line/"; }
  python3 -c 'import json, re, sys; assert re.match(sys.argv[1], json.load(open("s.json"))["backend"]["reason"])' "$1"
}
without() {  # WHY OPTIONS
  local small=$small unknown=$unknown named=
  [[ " ${*:2}" != *' --gpu'* ]] || { small=$1 && unknown=$1 && named=yes; }
  expect_status 1 "$WARPMETER" extract --backend cuda "${@:2}" -o cuda.csv --stats s.json "$capture"
  expect_one_line "^warpmeter: --backend cuda: $1"
  [ ! -e cuda.csv ] || fail "there is an output"
  python3 -c 'import json; s = json.load(open("s.json")); assert s["exit status"] == 1 and "--backend cuda" in s["error"]'
  for backend in '' '--backend auto'; do
    expect_status 0 "$WARPMETER" extract $backend "${@:2}" -o auto.csv --stats s.json "$capture"
    backend_is "$small"
    cmp cpu.csv auto.csv
    cat "$capture" | expect_status 0 "$WARPMETER" extract $backend "${@:2}" -o auto.csv --stats s.json -
    backend_is "$unknown"
    cmp cpu.csv auto.csv
    told=$(grep -cE "^warpmeter: --gpu and --gpu-memory have no effect: no GPU was found \\($1.*\\)$" stderr.txt || true)
    [ "$told" = "${named:+1}" ] || [ "$named$told" = 0 ] || { cat stderr.txt >&2; fail "of options without effect: $told lines"; }
    expect_status 0 "$WARPMETER" extract -q $backend "${@:2}" -o auto.csv "$capture"
    [ ! -s stderr.txt ] || { cat stderr.txt >&2; fail "not quiet"; }
  done
  no_leftovers
}
if grep -q '^  backend *cuda:' info.txt; then
  without 'there is no GPU 1000, the last one is' --gpu 1000
  echo 'a machine without a GPU would run the rest'
  exit 77
fi
why='(no NVIDIA driver|no NVIDIA GPU|the NVIDIA driver is too old: .+|no GPU that works: .+|built without CUDA)'
grep -qE "^  backend +cpu: $why" info.txt || { cat info.txt >&2; fail "info does not say why"; }
! grep -q 'driver version is insufficient' info.txt || fail "the words of CUDA"
[ -e /proc/driver/nvidia ] || PATH=$PATH:/usr/sbin:/sbin ldconfig -p | grep -q libcuda.so || grep -q 'built without CUDA' info.txt ||
  { why='no NVIDIA driver' && grep -qx '  GPU       no NVIDIA driver' info.txt; } || fail "no driver, and $(cat info.txt)"
without "$why"
without "$why" --gpu 7
without "$why" --gpu 0,1
without "$why" --gpu all
without "$why" --gpu-memory 1G
without "$why" --method exact
