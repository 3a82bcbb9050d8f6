#!/usr/bin/env bash
# Where there is no Boost, CMake names the tests that are left out, and that is all.
. "$(dirname "$0")/../common.sh"
command -v cmake ninja > /dev/null || { echo "cmake and ninja would run this"; exit 77; }
cmake -S "$SOURCE" -B build -G Ninja -DWARPMETER_CUDA=OFF -DCMAKE_DISABLE_FIND_PACKAGE_Boost=ON > log.txt 2>&1 ||
  { cat log.txt >&2; fail "cannot be configured"; }
grep -qx -- '-- Boost.Context: none, so without test_kernels, test_property and kernels_bench_on_cpu' log.txt ||
  { cat log.txt >&2; fail "does not say what is left out"; }
targets=$(ninja -C build -t targets all)
for left_out in test_kernels test_property kernels_bench_on_cpu; do
  ! grep -q "/$left_out:" <<<"$targets" || fail "$left_out is built"
done
grep -q '/test_flow_meter:' <<<"$targets" || fail "no tests at all"
