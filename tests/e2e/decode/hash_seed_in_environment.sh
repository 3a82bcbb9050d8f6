#!/usr/bin/env bash
# The hash seed of decode may be a secret: it is taken from the environment, which other users cannot read, as it is from the
# command line, which they can. An empty one is none.
. "$(dirname "$0")/../common.sh"
capture=$DATA/first-look.pcap
secret='nobody else knows'
mark() { head -c 2000 "$1/part-01-of-16.segments" | grep -ao '"seed_mark":[0-9]*'; }
"$WARPMETER" decode -q --hash-seed "$secret" -o given "$capture"
WARPMETER_HASH_SEED=$secret "$WARPMETER" decode -q -o there "$capture"
WARPMETER_HASH_SEED=other "$WARPMETER" decode -q --hash-seed "$secret" -o both "$capture"
WARPMETER_HASH_SEED= "$WARPMETER" decode -q -o none "$capture"
"$WARPMETER" decode -q -o random "$capture"
[ -n "$(mark given)" ] && [ "$(mark there)" = "$(mark given)" ] && [ "$(mark both)" = "$(mark given)" ] || fail "another seed"
[ "$(mark none)" != "$(mark given)" ] && [ "$(mark none)" != "$(mark random)" ] || fail "not random"
! grep -rqa "$secret" there || fail "it is in a file"
