#!/usr/bin/env bash
# What tools/, packages/ and .ci take from elsewhere is named by its sums: pip gets only files whose SHA-256 tools/pins has,
# and a container begins with an image of one digest. Another file of the right name and version is refused.
. "$(dirname "$0")/../common.sh"

# Every call of pip that may reach an index, with the lines that it goes on in.
calls=$(cd "$SOURCE" && find tools packages .ci tests/packages -type f ! -path 'tools/pins/*' -exec \
  perl -0777 -ne 's/^\s*#.*\n//mg; s/\\\n\s*/ /g;
    print "$ARGV: $_\n" for grep /\bpip3?\b["\x27]?\s+("\$\w+"|(install|download|wheel)\b)|uv\s+pip\s+(install|sync)/, split /\n/' {} +)
[ "$(grep -c . <<< "$calls")" -ge 4 ] || fail "calls of pip are not found: $calls"
bad=$(grep -vE -- '--require-hashes|--no-index' <<< "$calls" || true)
[ -z "$bad" ] || fail "these take whatever there is: $bad"
! grep -HE '^FROM ' "$SOURCE/packages/Containerfile" | grep -vE '@sha256:[0-9a-f]{64}( |$)' || fail "an image without its digest"

# Of each set: what is asked for, and nothing without a sum. The wheel is built with what pyproject.toml asks for.
python3 - "$SOURCE" <<'PY'
import glob, os, re, sys, tomllib
source, = sys.argv[1:]
def pins(path):
    """{name: versions}"""
    found = {}
    with open(path) as file: text = file.read()
    for line in re.sub(r'\\\n', ' ', text).splitlines():
        if line.startswith('#'): continue
        assert re.search(r'--hash=sha256:[0-9a-f]{64}(\s|$)', line), f'{path}: no sum: {line}'
        name, version = re.match(r'([\w.-]+)==([\w.]+)', line).groups()
        found.setdefault(name, set()).add(version)
    return found
asked = sorted(glob.glob(os.path.join(source, 'tools/pins/*.in')))
assert len(asked) >= 6, asked
for path in asked:
    found = pins(path.removesuffix('in') + 'txt')
    with open(path) as file: wanted = [line.strip() for line in file if line.strip() and not line.startswith('#')]
    for line in wanted:
        name, version = re.fullmatch(r'([\w.-]+)(?:\[\w+\])?==([\w.]+)', line).groups()
        assert found.get(name) == {version}, f'{path}: {line}, but {found.get(name)}; tools/pin makes it anew'
with open(os.path.join(source, 'pyproject.toml'), 'rb') as file: requires = tomllib.load(file)['build-system']['requires']
found = pins(os.path.join(source, 'tools/pins/wheel.txt'))
for line in requires:
    name, version = line.split('==')
    assert found.get(name) == {version}, f'pyproject.toml: {line}'
PY

# A package of the right name and version that is another one.
python3 -c 'import ensurepip' 2>/dev/null || exit 0
! compgen -G '/usr/lib/*/cmake/Parquet' >/dev/null || exit 0
mkdir copy index
cp -r "$SOURCE/tools" copy
version=$(sed -n 's/^pyarrow==//p' "$SOURCE/tools/pins/parquet.in")
python3 - "$version" <<'PY'
import sys, zipfile
version, = sys.argv[1:]
info = f'pyarrow-{version}.dist-info'
with zipfile.ZipFile(f'index/pyarrow-{version}-py3-none-any.whl', 'w') as wheel:
    wheel.writestr('pyarrow/__init__.py', '')
    wheel.writestr(f'{info}/METADATA', f'Metadata-Version: 2.1\nName: pyarrow\nVersion: {version}\n')
    wheel.writestr(f'{info}/WHEEL', 'Wheel-Version: 1.0\nGenerator: nobody\nRoot-Is-Purelib: true\nTag: py3-none-any\n')
    wheel.writestr(f'{info}/RECORD', f'pyarrow/__init__.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n')
PY
export PIP_CONFIG_FILE=/dev/null PIP_NO_INDEX=1 PIP_FIND_LINKS=$PWD/index
expect_status 1 copy/tools/setup-parquet
tail -n 1 stderr.txt | grep -qF 'has another file than the one that tools/pins/parquet.txt names' ||
  { cat stderr.txt >&2; fail "another package is taken"; }
[ -z "$(ls copy/build)" ] || fail "left behind: $(ls copy/build)"
