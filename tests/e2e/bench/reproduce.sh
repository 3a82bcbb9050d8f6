#!/usr/bin/env bash
# tools/reproduce: every figure of the README and of docs/performance.md has an entry, and every entry a command that is
# there. --list needs nothing built; what fails or cannot be made is named, and stops nothing; quick forms run.
. "$(dirname "$0")/../common.sh"
[ -z "${SANITIZE:-}" ] || { echo "a build without sanitizers runs this"; exit 77; }
export PYTHONDONTWRITEBYTECODE=1

PYTHONPATH=$SOURCE/bench python3 - "$SOURCE" <<'PY'
import os, re, shlex, sys
from common import ready
from reproduce.entries import ENTRIES

top, bad = sys.argv[1], []
names = [entry.name for entry in ENTRIES]
if len(set(names)) != len(names): bad.append('two entries of one name')


def read(path):
    with open(os.path.join(top, path), encoding='utf-8') as file: return file.read()


# A number with a unit, a rate or a ratio; what links and code name is none.
FIGURE = re.compile(r'\d\**( ?(s|ms|us|ns|min|h|[MKG]i?B|bytes|%|times|cores)\b| [MG] |[MG] packets| M on an)|\| \**\d|\d\.\d')
MARKER = re.compile(r'<!-- figures: ([a-z -]+) -->')


def uncovered(page, sections):
    """Blocks with a figure that no marker follows before the next heading."""
    text = re.sub(r'^```.*?^```$', '', read(page), flags=re.M | re.S)
    heading, waiting = '', []
    for block in re.split(r'\n\s*\n|\n(?=#)|(?<=-->)\n|\n(?=\* )', text):
        if block.lstrip().startswith('#'):
            yield from waiting
            heading, waiting = block.split('\n')[0].strip('# '), []
            block = block.partition('\n')[2]
        plain = re.sub(r'\]\([^)]*\)|`[^`]*`|<!--.*?-->', '', block)
        if FIGURE.search(plain) and (sections is None or heading in sections or 'packets/s' in plain): waiting.append(f'{page}, {heading}: {block[:70]}')
        if MARKER.search(block): waiting = []
    yield from waiting


bad += [f'no entry is named for {block}' for block in uncovered('README.md', ('How fast',))]
bad += [f'no entry is named for {block}' for block in uncovered('docs/performance.md', None)]
quoted = {}
for page in ['README.md', *sorted(f'docs/{f}' for f in os.listdir(f'{top}/docs') if f.endswith('.md'))]:
    for marker in MARKER.findall(read(page)):
        for name in marker.split(): quoted.setdefault(name, page)
bad += [f'{page}: there is no entry {name}' for name, page in quoted.items() if name not in names]
if len(quoted) < 9: bad.append(f'only {sorted(quoted)} are quoted')

built = {target for folder in ('bench', 'tools/traffic_gen') for target in re.findall(r'add_executable\((\w+)', read(f'{folder}/CMakeLists.txt'))}
for entry in ENTRIES:
    for command in (*entry.commands, *entry.quick):
        program = next(word for word in shlex.split(command) if word != 'env' and '=' not in word)
        if program == 'ctest' or program in built and program in entry.programs and program in ready.PROGRAMS: continue
        if not os.access(os.path.join(top, program), os.X_OK): bad.append(f'{entry.name}: there is no {program}')
print(f'{len(ENTRIES)} entries, {len(quoted)} of them quoted')
for line in bad: print(line)
sys.exit(bool(bad))
PY

# A tree with nothing built; of the benches that are called, some fail.
mkdir -p tree
cp -r "$SOURCE/bench" "$SOURCE/tools" tree
tree/tools/reproduce --list > list.txt
for name in peers floors scale live soak paper predict gpu; do grep -q "^$name  *[a-z]" list.txt || fail "--list has no $name"; done
grep -q 'min, estimated; .*12 GB of disk' list.txt || fail "--list does not tell what scale takes"
grep -q 'CANNOT BE MADE HERE: no warpmeter_on_machine' list.txt || fail "--list does not tell what predict lacks"
[ ! -e tree/build ] || fail "--list makes something"
[ -e /dev/nvidia0 ] || [ -e /dev/dxg ] || grep -q 'CANNOT BE MADE HERE: no NVIDIA GPU' list.txt || fail "--list finds a GPU"
expect_status 2 tree/tools/reproduce peers no-such
grep -q 'there is no no-such' stderr.txt || fail "an unknown name"

# put_bench PATH STATUS: one that says what it was asked
put_bench() { printf '#!/bin/sh\necho "asked $*"\necho "complains" >&2\nexit %s\n' "$2" > "tree/$1"; chmod +x "tree/$1"; }
put_bench bench/unpack 0
put_bench bench/formats 7
mkdir built
expect_status 1 tree/tools/reproduce --build built --results results formats unpack predict
grep -q '^formats  *FAILED  *formats: exit status 7; see build/reproduce/formats/log.txt' stdout.txt || fail "what failed is not told"
grep -q '^unpack  *made ' stdout.txt || fail "one that failed stops the others"
grep -q '^predict  *skipped  *no warpmeter_on_machine' stdout.txt || fail "what is left out is not told"
grep -qx '1 made, 1 failed, 1 skipped' stdout.txt || fail "no sum"
grep -q complains tree/build/reproduce/formats/log.txt || fail "the log of what failed"
made=results/$(date +%F)-unpack
grep -q "^asked --build $PWD/built --raw " "$made/report.md" || fail "the report of unpack"
python3 - "$made/how.json" <<'PY'
import json, sys
how = json.load(open(sys.argv[1]))
assert how['commands'] == ['bench/unpack --raw FOLDER/raw.json'] and how['failed'] == '' and how['machine'], how
PY
expect_status 0 tree/tools/reproduce --build built --results results unpack
tree/tools/reproduce --list --results results unpack formats > list.txt
grep -q '0 s, measured 20..-..-.. on ' list.txt && grep -q '60 s, estimated' list.txt || fail "--list does not tell what it took: $(cat list.txt)"
[ -e "$made-2/report.md" ] && [ -e "$made/report.md" ] || fail "a report was written over"
expect_status 1 tree/tools/reproduce --build built --results results unpack predict

# Quick forms of the real ones.
cp -r "$SOURCE/bench" tree
BUILD=$(dirname "$WARPMETER")
expect_status 0 tree/tools/reproduce --quick --build "$BUILD" --results results formats segments paper floors scale
grep -qx '5 made, 0 failed, 0 skipped' stdout.txt || fail "$(cat stdout.txt stderr.txt)"
grep -q 'Flow Records' tree/build/reproduce/formats/report.md || fail "no report of formats"
for name in formats segments paper floors scale; do
  python3 -m json.tool tree/build/reproduce/$name/raw.json >/dev/null || fail "$name: no raw data"
done
[ "$(ls results | grep -vc unpack)" = 0 ] || fail "--quick left figures"
