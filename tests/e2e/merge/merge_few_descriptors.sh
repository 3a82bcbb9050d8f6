#!/usr/bin/env bash
# More files than may be open are merged in passes, with the same output and little memory.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets $((60000 / SCALE)) --mean-packets 5 --flows 2000 -o t.pcap
limits='24 60' mosts='2 7 200'
[ -z "${SANITIZE:-}" ] || [ "${LONG:-OFF}" = ON ] || limits=24 mosts=7
for options in '' --biflow; do
  # shellcheck disable=SC2086
  "$WARPMETER" extract -q $options -o whole.csv -o whole.json t.pcap
  rm -rf dealt; mkdir dealt
  python3 - <<'PY'
import random
random.seed(3)
lines = open('whole.json').readlines()
hands = [[] for _ in range(200)]
for line in lines: random.choice(hands).append(line)
for i, hand in enumerate(hands): open(f'dealt/{i}.json', 'w').writelines(hand)
PY
  for most in $limits; do
    (
      ulimit -n $most
      "$WARPMETER" merge -q -o out.csv dealt
      if [ -z "${SANITIZE:-}" ]; then  # it wants a descriptor of its own to look at what is thrown
        expect_status 1 "$WARPMETER" merge -q --most-files 200 -o none.csv dealt
        expect_one_line 'Too many open files'
      fi
      expect_status 1 "$WARPMETER" merge -q --tmpdir none -o none.csv dealt
      expect_one_line 'none: .*[(]--tmpdir chooses another folder[)]$'
      [ ! -e none.csv ] || fail "there is an output"
    )
    cmp out.csv whole.csv
  done
  for most in $mosts; do
    "$WARPMETER" merge -q --most-files $most -o out.csv dealt
    cmp out.csv whole.csv
  done
done
python3 - "$WARPMETER" "${SANITIZE:-}" <<'PY'
import resource, subprocess, sys
subprocess.run([sys.argv[1], 'merge', '-q', '-o', 'out.csv', 'dealt'], check=True)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
assert sys.argv[2] or peak < 100_000, f'{peak} KB'
PY
no_leftovers
