#!/usr/bin/env bash
# tools/heartbeat, by which tools/test builds: a command that runs long is mentioned now and then, a short one is not; its
# output goes to the log, and its exit status is that of tools/heartbeat.
. "$(dirname "$0")/../common.sh"
grep -q 'tools/heartbeat 30 .* cmake --build' "$SOURCE/tools/test" || fail "tools/test builds without a word"
expect_status 7 "$SOURCE/tools/heartbeat" 1 log bash -c 'echo "[3/9] Building"; sleep 2.5; exit 7'
grep -qx '\[3/9\] Building' log || fail "no output in the log"
grep -qE '^ +still running after [12] s, \[3/9\]$' stdout.txt || fail "said: $(cat stdout.txt)"
[ "$(wc -l < stdout.txt)" -le 3 ] || fail "too much: $(cat stdout.txt)"
[ ! -s stderr.txt ] || fail "$(cat stderr.txt)"
expect_status 0 "$SOURCE/tools/heartbeat" 30 log true
[ ! -s stdout.txt ] && [ ! -s stderr.txt ] || fail "a short one is mentioned"
# A reader of its lines is not kept waiting once the command has ended.
SECONDS=0
"$SOURCE/tools/heartbeat" 60 log true | cat
[ $SECONDS -lt 30 ] || fail "it outlives its command"
