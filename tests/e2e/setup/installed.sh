#!/usr/bin/env bash
# What cmake --install installs works where it lies, with the licences of all that it holds, and documents in which no link is
# dead; without the module for Parquet, or without a library of it, one line tells what is missing.
. "$(dirname "$0")/../common.sh"
[ -z "${SANITIZE:-}" ] || { echo "a build without sanitizers runs this"; exit 77; }
cmake --install "$(dirname "$WARPMETER")" --prefix "$PWD/prefix" >install.txt || { cat install.txt >&2; fail "cmake --install"; }
program=prefix/bin/warpmeter pages=prefix/share/doc
"$program" extract -q prefix/share/doc/warpmeter/examples/first-look.pcap | cmp - "$DATA/first-look.expected.csv"
cmp "$SOURCE/LICENSE" "$pages/warpmeter/LICENSE"
python3 - prefix "$SOURCE" <<'PY'
import glob, os, re, sys
prefix, source = sys.argv[1:]
pages = glob.glob(f'{prefix}/share/doc/**/*.md', recursive=True)
links, bad = 0, []
for page in pages:
    text = open(page, encoding='utf-8').read()
    for target in re.findall(r'\]\(([^)\s]+)\)', text):
        if '://' in target or target.startswith('#'): continue
        links += 1
        path = os.path.join(os.path.dirname(page), target.split('#')[0])
        if not os.path.exists(path): bad.append(f'{page}: {target}')
    # Nothing is changed but links.
    given = os.path.join(source, os.path.relpath(page, f'{prefix}/share/doc/warpmeter'))
    bare = lambda text: re.sub(r'\[([^\[\]]+)\]\([\w./#-]+\)', r'\1', text)
    if bare(text) != bare(open(given, encoding='utf-8').read()): bad.append(f'{page}: other text')
print(f'{len(pages)} pages, {links} links')
for line in bad: print(line)
sys.exit(1 if bad or links < 40 else 0)
PY
[ ! -e $pages/warpmeter/docs/architecture.md ] || fail "a page for contributors"
# What is compiled into the program from packages of headers, as in cmake/Dependencies.cmake.
for package in libcli11-dev libfmt-dev nlohmann-json3-dev libxxhash-dev pdqsort-dev; do
  grep -qx "X-Package: $package" "$pages/warpmeter/copyright" || fail "no licence of $package"
done
# fields FILE NAME: of a Debian copyright file, the short names of licences that stanzas name, or that have a text
named() { awk '/^Files:/ { of = 1 } /^License:/ && of { sub(/^License: /, ""); print } /^$/ { of = 0 }' "$1" | sort -u; }
texts() { awk '/^License:/ { name = $0; sub(/^License: /, "", name) } /^ / && name { print name; name = "" } /^[^ L]/ { name = "" }' "$1" | sort -u; }
for copyright in "$pages"/*/copyright; do
  ! grep -nP '^\s+$' "$copyright" || fail "$copyright: a field ends at an empty line"
  [ "$(named "$copyright")" = "$(texts "$copyright")" ] || fail "$copyright: $(diff <(named "$copyright") <(texts "$copyright"))"
done

need_parquet
[ -e prefix/lib/warpmeter/libwarpmeter_parquet.so ] || fail "no module"
"$program" extract -q -o flows.parquet "$DATA/first-look.pcap"
"$program" show flows.parquet --csv >shown.csv
[ "$(rows shown.csv)" = "$(rows "$DATA/first-look.expected.csv")" ] || fail "Parquet lost records"
if [ -e prefix/lib/warpmeter/libarrow.so.* ]; then
  grep -q "Copyright .* The Apache Software Foundation" "$pages/warpmeter-parquet/NOTICE.txt" || fail "no NOTICE of Arrow"
  grep -qF "$(sed -n 's/^ *//; /Kudu/ { p; q }' "$pages/warpmeter-parquet/NOTICE.txt")" "$pages/warpmeter-parquet/copyright" ||
    fail "no NOTICE of Arrow in the copyright file"
  mkdir alone
  cp "$program" prefix/lib/warpmeter/libwarpmeter_parquet.so alone
  expect_status 1 alone/warpmeter extract -q -o alone.parquet "$DATA/first-look.pcap"
  expect_one_line 'the module cannot be loaded: lib(arrow|parquet)\.so\.[0-9]+: cannot open shared object file'
fi
rm -r prefix/lib
expect_status 1 "$program" extract -q -o gone.parquet "$DATA/first-look.pcap"
expect_one_line 'there is no libwarpmeter_parquet.so beside the program or in \.\./lib/warpmeter .* package warpmeter-parquet has it'
[ ! -e gone.parquet ] && no_leftovers
