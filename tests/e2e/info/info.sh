#!/usr/bin/env bash
# `warpmeter info` tells version, build and what would meter; --help works everywhere.
. "$(dirname "$0")/../common.sh"
"$WARPMETER" info > info.txt
for word in 'warpmeter [0-9]' CUDA CPU GPU unpacking 'backend *cpu'; do grep -q "$word" info.txt || fail "no $word"; done
"$WARPMETER" --help > help.txt
grep -q extract help.txt
"$WARPMETER" extract --help > help.txt
grep -q -- --idle-timeout help.txt
"$WARPMETER" info --help > /dev/null
"$WARPMETER" --version | grep -q 'warpmeter [0-9]'
