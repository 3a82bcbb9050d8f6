#!/usr/bin/env bash
# packages/wheel_licences puts into a wheel the licence of each library that was copied into it, and refuses one that it does
# not know; the same contents give the same bytes; the bill of materials tells of them.
. "$(dirname "$0")/../common.sh"
[ -z "${SANITIZE:-}" ] || { echo "a build without sanitizers runs this"; exit 77; }
command -v dpkg-query >/dev/null && [ -e /usr/share/common-licenses/GPL-2 ] || { echo "a Debian runs this"; exit 77; }
library=$(/sbin/ldconfig -p | sed -n 's/^\tlibzstd\.so\.1 .* => //p' | head -n 1)
[ -n "$library" ] && dpkg-query --search "*/$(basename "$(readlink -f "$library")")" >/dev/null 2>&1 ||
  { echo "a machine with Debian's libzstd1 runs this"; exit 77; }

# make_wheel FOLDER LIBRARY: as auditwheel leaves it
cat > make_wheel.py <<'PY'
import hashlib, os, sys, zipfile
folder, library = sys.argv[1:]
library = os.path.realpath(library)
data = open(library, 'rb').read()
base, _, rest = os.path.basename(library).partition('.')
name = f'{base}-{hashlib.sha256(data).hexdigest()[:8]}.{rest}'
os.mkdir(folder)
with zipfile.ZipFile(f'{folder}/warpmeter-1-py3-none-any.whl', 'w') as wheel:
    wheel.writestr('warpmeter/__init__.py', '')
    wheel.writestr('warpmeter/bin/libparquet.so.2500', b'\x7fELF')
    wheel.writestr(f'warpmeter.libs/{name}', data + b'patched')
    wheel.writestr('warpmeter-1.dist-info/METADATA', 'Metadata-Version: 2.4\nName: warpmeter\nVersion: 1\nLicense-File: LICENSE\n\nWords.\n')
    wheel.writestr('warpmeter-1.dist-info/licenses/LICENSE', 'ours')
    wheel.writestr('warpmeter-1.dist-info/licenses/warpmeter-parquet/copyright', 'X-Package: pyarrow==26.0.1\n' + 'Copyright: some\n' * 50)
    wheel.writestr('warpmeter-1.dist-info/RECORD', 'old')
PY
export SOURCE_DATE_EPOCH=1700000000
for folder in one two; do
  python3 make_wheel.py $folder "$library"
  "$SOURCE/packages/wheel_licences" $folder/*.whl
done
cmp one/*.whl two/*.whl || fail "two of the same contents differ"
"$SOURCE/tests/packages/wheel_contents" one/*.whl > said.txt
grep -qE '^warpmeter\.libs/libzstd-[0-9a-f]{8}\.so\.[0-9.]+: libzstd1 .*, libzstd1/copyright$' said.txt || fail "$(cat said.txt)"
grep -qx 'warpmeter/bin/libparquet.so.2500: pyarrow 26.0.1, warpmeter-parquet/copyright' said.txt || fail "$(cat said.txt)"
python3 - one/*.whl <<'PY'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel:
    read = lambda name: wheel.read('warpmeter-1.dist-info/' + name).decode()
    assert 'GNU GENERAL PUBLIC LICENSE' in read('licenses/common-licenses/GPL-2')
    assert read('METADATA').startswith('Metadata-Version: 2.4\n') and read('METADATA').endswith('\n\nWords.\n'), read('METADATA')
    assert '\tpkg:deb/debian/libzstd@' in read('licenses/libraries.tsv')
PY

# The bill of materials names what it carries.
cp one/*.whl .
touch warpmeter-1.tar.gz
"$SOURCE/packages/bill_of_materials" . 1 commit $SOURCE_DATE_EPOCH > bill.json
python3 - <<'PY'
import json
bill = json.load(open('bill.json'))
ids = {package['name']: package['SPDXID'] for package in bill['packages']}
related = {(r['spdxElementId'], r['relationshipType'], r['relatedSpdxElement']) for r in bill['relationships']}
wheel = ids['warpmeter-wheel']
assert (wheel, 'CONTAINS', ids['libzstd1']) in related and (wheel, 'GENERATED_FROM', ids['warpmeter-source']) in related, related
PY

# One that is not of this machine; and the test of wheels sees a licence that is missing.
echo other > libother.so.1
python3 make_wheel.py other libother.so.1
expect_status 1 "$SOURCE/packages/wheel_licences" other/*.whl
expect_one_line '^packages/wheel_licences: warpmeter.libs/libother-[0-9a-f]{8}\.so\.1: not a library of this machine$'
python3 - one/*.whl <<'PY'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel, zipfile.ZipFile('without.whl', 'w') as other:
    for name in wheel.namelist():
        if 'GPL-2' not in name: other.writestr(name, wheel.read(name))
PY
expect_status 1 "$SOURCE/tests/packages/wheel_contents" without.whl
grep -q '^FAILED: warpmeter.libs/libzstd.*: no text of GPL-2$' stderr.txt || fail "$(cat stderr.txt)"
