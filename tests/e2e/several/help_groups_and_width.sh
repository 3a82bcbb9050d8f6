#!/usr/bin/env bash
# The help has its options in groups, tells the units that they use, and keeps to the width of the terminal: $COLUMNS, or
# 80 where nobody knows.
. "$(dirname "$0")/../common.sh"
unset COLUMNS
widest() { awk '{ if (length($0) > most) most = length($0) } END { print most }' "$1"; }
for command in extract live show info report; do
  "$WARPMETER" $command --help < /dev/null > usual.txt 2> /dev/null
  [ "$(widest usual.txt)" -le 80 ] || fail "$command: $(widest usual.txt) columns"
  COLUMNS=118 "$WARPMETER" $command --help > wide.txt
  [ "$(widest wide.txt)" -le 118 ] && [ "$(widest wide.txt)" -gt 80 ] || fail "$command: $(widest wide.txt) columns of 118"
  diff <(tr -s ' \n' '\n\n' < usual.txt) <(tr -s ' \n' '\n\n' < wide.txt) || fail "$command: other words at other widths"
done
script -qec "stty cols 100; '$WARPMETER' extract --help" /dev/null | tr -d '\r' > terminal.txt
[ "$(widest terminal.txt)" -le 100 ] && [ "$(widest terminal.txt)" -gt 80 ] || fail "$(widest terminal.txt) columns of 100"

"$WARPMETER" extract --help > help.txt
last=0
for group in Input Output Collector Flows Method Resources Messages Units Examples; do
  at=$(grep -nx "$group:" help.txt | cut -d: -f1)
  [ -n "$at" ] && [ "$at" -gt $last ] || fail "no group $group behind line $last"
  last=$at
done
in_group() { awk -v group="$1:" '$0 == group { on = 1; next } /^$/ { on = 0 } on' help.txt | grep -q -- "$2 "; }
in_group Collector --mtu || fail "--mtu is elsewhere"
in_group Resources --memory || fail "--memory is elsewhere"
in_group Flows --idle-timeout || fail "--idle-timeout is elsewhere"
for unit in SIZE TIME N; do in_group Units "  $unit" || fail "no unit $unit"; done
"$WARPMETER" live --help > help.txt
in_group Resources --batch || fail "live: --batch is elsewhere"
"$WARPMETER" --help | grep -q '`warpmeter help COMMAND`' || fail "nothing tells of help"
"$WARPMETER" report --help > help.txt
in_group Units '  N' || fail "no unit N in the help of report"
! in_group Units '  TIME' || fail "report has no times"
