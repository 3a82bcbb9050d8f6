#!/usr/bin/env bash
# The manual pages say what --help says, name every variable of the environment that the sources ask for, are the same
# whenever they are written, fit 80 columns, speak of no other command's exit status, and man and mandoc read them without a
# warning.
. "$(dirname "$0")/../common.sh"
[ -n "${WRITE_MANUAL:-}" ] || { echo "a build with tools/manual runs this"; exit 77; }
command -v mandoc > /dev/null || { echo "mandoc runs this"; exit 77; }
write() { "$WRITE_MANUAL" "$1" "$SOURCE" 1.2.3 2026-01-31; }
env -u SOURCE_DATE_EPOCH TZ=Pacific/Auckland "$WRITE_MANUAL" one "$SOURCE" 1.2.3 2026-01-31
env -u SOURCE_DATE_EPOCH COLUMNS=50 LC_ALL=C "$WRITE_MANUAL" two "$SOURCE" 1.2.3 2026-01-31
diff -r one two
SOURCE_DATE_EPOCH=86400 write dated
grep -q '^\.TH .* 1970-01-02 ' dated/share/man/man1/warpmeter.1 || fail "not the date of SOURCE_DATE_EPOCH"
grep -q '^\.TH .* 2026-01-31 "warpmeter 1.2.3"' one/share/man/man1/warpmeter.1 || fail "not the date of the release"
cd one/share/man
for page in man?/*; do
  mandoc -T lint -W warning "$page" || fail "$page: mandoc"
  ! command -v man > /dev/null || LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l "$page" 2> warned.txt > /dev/null
  [ ! -s warned.txt ] || fail "$page: $(cat warned.txt)"
  for section in NAME 'SEE ALSO'; do grep -q "^\.SH \"$section\"" "$page" || fail "$page: no $section"; done
  mandoc -T ascii -O width=80 "$page" | col -bx | awk 'length($0) > 80' > wide.txt
  [ ! -s wide.txt ] || fail "$page: wider than 80: $(cat wide.txt)"
  mandoc -T utf8 -O width=200 "$page" | col -b | tr -s ' \n' ' ' > "$page.txt"
done
"$WARPMETER" --help | sed -n 's/^  \([a-z][a-z]*\)   *[a-zA-Z].*/\1/p' > commands.txt
[ "$(wc -l < commands.txt)" -ge 5 ] || fail "commands: $(cat commands.txt)"
while read -r command; do
  for section in SYNOPSIS DESCRIPTION OPTIONS 'EXIT STATUS' ENVIRONMENT EXAMPLES; do
    grep -q "^\.SH \"$section\"" "man1/warpmeter-$command.1" || fail "$command: no $section"
  done
  COLUMNS=120 "$WARPMETER" "$command" --help > help.txt
  python3 - help.txt "man1/warpmeter-$command.1.txt" <<'PY'
import re, sys
words = lambda text: ' '.join(text.replace('`', '').replace(' \\\n', ' ').replace(' \\ ', ' ').split())
text, page = open(sys.argv[1]).read(), words(open(sys.argv[2]).read())
entries = re.findall(r'^  (?:    |-., )--[a-z].*(?:\n {20,}.*)*', text, re.M)
assert len(entries) >= 2, entries
missing = [words(entry) for entry in entries if words(entry) not in page]
examples = text[text.index('Examples:\n'):].splitlines()[1:]
missing += [e for e in examples if e.startswith('  w') and words(re.split(r'  +', e.strip())[0]) not in page]
assert not missing, missing
PY
done < commands.txt
grep -q '^.fBwarpmeter help' man1/warpmeter.1 || fail "the page of the program has no help"
for command in show info report; do
  exit_status=$(sed -n '/^\.SH "EXIT STATUS"/,/^\.SH "ENV/p' "man1/warpmeter-$command.1")
  ! grep -qE 'live|stats|collector' <<<"$exit_status" || fail "$command speaks of others: $exit_status"
done
grep -q 'fBmerge.fR leaves no output' man1/warpmeter-merge.1 || fail "merge does not say what a signal leaves"
grep -q 'fBlive.fR ends with 0' man1/warpmeter-live.1 || fail "live does not say that it ends with 0"
! grep -nE '[^/a-z](share/doc|data)/' man?/*.[157] || fail "a path that is nowhere"
grep -q ' (/usr/share/doc/warpmeter/docs/parquet.md)' man1/warpmeter-extract.1 || fail "no path of a document"
"$WARPMETER" extract -q --format csv "$DATA/first-look.pcap" > flows.csv
columns=$(head -1 flows.csv)
for column in ${columns//,/ }; do
  grep -q "^\\\\fB$column\\\\fR" man5/warpmeter-columns.5 || fail "no $column"
done
grep -rhoE '(getenv|envname)\("[A-Z_]+"\)|number_in<[^(]*\("[A-Z_]+"' "$SOURCE/src" | grep -oE '[A-Z_]{3,}' | sort -u > variables.txt
[ "$(wc -l < variables.txt)" -ge 3 ] || fail "variables: $(cat variables.txt)"
# As an entry: text may begin a line with a name as well.
while read -r name; do grep -qx "\\\\fB$name\\\\fR" man1/*.1 || fail "no page has $name"; done < variables.txt
