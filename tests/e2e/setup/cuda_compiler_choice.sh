#!/usr/bin/env bash
# CMake says which CUDA compiler it takes and for which GPUs, and why it takes none.
. "$(dirname "$0")/../common.sh"
command -v cmake ninja > /dev/null || { echo "cmake and ninja would run this"; exit 77; }

configure() { rm -rf build; cmake -S "$SOURCE" -B build -G Ninja -DWARPMETER_TESTS=OFF "$@" > log.txt 2>&1; }
expect_log() {  # CMake breaks the lines of errors
  [[ $(tr -s ' \n' ' ' < log.txt) == *"$1"* ]] || { cat log.txt >&2; fail "expected: $1"; }
}

configure -DWARPMETER_CUDA=OFF
expect_log '-- CUDA: none, WARPMETER_CUDA=OFF'
! configure -DWARPMETER_CUDA_COMPILER_FOLDER="$PWD/none" || fail "a folder without a compiler was taken"
expect_log 'none/bin/nvcc'

mkdir -p old/bin gpus
printf '#!/bin/sh\necho "Cuda compilation tools, release 11.8, V11.8.89"\n' > old/bin/nvcc
chmod +x old/bin/nvcc
! configure -DWARPMETER_CUDA_COMPILER_FOLDER="$PWD/old" || fail "a compiler without C++20 was taken"
expect_log 'of CUDA 11.8'

configure -DWARPMETER_CUDA_ARCHITECTURES=all
grep -q '^-- CUDA: none' log.txt && exit 0  # the rest needs a compiler
expect_log 'for 75-real;80-real;90'
printf '#!/bin/sh\nprintf "8.6\\n3.5\\n8.6\\n"\n' > gpus/nvidia-smi
chmod +x gpus/nvidia-smi
PATH=$PWD/gpus:$PATH configure
expect_log 'for 86'
