#!/usr/bin/env bash
# policy test: a line a packet, the same for any number of threads; what comes out otherwise than expected is told.
. "$(dirname "$0")/../common.sh"
cat > policy.toml <<'TOML'
[init]
default = "tcp"
[[group]]
id = 1
name = "tcp"
match = 2
mismatch = "DROP"
  [[group.rule]]
  protocol = "tcp"
[[group]]
id = 2
  [[group.rule]]
  port = 443
  label = ["https", "web"]
TOML
"$WARPMETER" policy test -q policy.toml "$DATA/first-look.pcap" > lines.txt
[ "$(wc -l < lines.txt)" = 300 ] || fail "$(wc -l < lines.txt) lines"
grep -q '^[0-9]* 1-  *DROP -$' lines.txt && grep -q '^[0-9]* 1+>2- OUT -$' lines.txt &&
  grep -q '^[0-9]* 1+>2+ OUT https;web$' lines.txt || fail "a kind of line is missing"
"$WARPMETER" policy test -q --threads 3 policy.toml "$DATA/first-look.pcap" | cmp - lines.txt
"$WARPMETER" policy test -q policy.toml "$DATA/first-look.pcap" tcp port 443 | grep -vq DROP
"$WARPMETER" policy test -q --rounds 1 policy.toml "$DATA/first-look.pcap" | grep -q ' 1+ OUT -$'

# With what should come.
"$WARPMETER" policy test -q policy.toml "$DATA/first-look.pcap" --expect lines.txt > nothing.txt
[ ! -s nothing.txt ] || fail "something differs"
sed '7s/.*/7 - OUT -/' lines.txt > other.txt
expect_status 1 "$WARPMETER" policy test policy.toml "$DATA/first-look.pcap" --expect other.txt
grep -q '^line 7: expected 7 - OUT -, got 7 1' stdout.txt || fail "$(cat stdout.txt)"
head -n 299 lines.txt > short.txt
expect_status 1 "$WARPMETER" policy test -q policy.toml "$DATA/first-look.pcap" --expect short.txt
grep -q '^line 300: expected nothing more, got 300 ' stdout.txt || fail "$(cat stdout.txt)"

# What does not go together.
expect_status 2 "$WARPMETER" policy test policy.toml
expect_status 2 "$WARPMETER" policy check policy.toml "$DATA/first-look.pcap"
expect_status 1 "$WARPMETER" policy test policy.toml "$DATA/first-look.pcap" --expect no-such-file
"$WARPMETER" decode -q -o segments "$DATA/first-look.pcap"
expect_status 2 "$WARPMETER" policy test policy.toml segments
expect_status 2 "$WARPMETER" extract --policy policy.toml segments
expect_status 2 "$WARPMETER" extract --policy policy.toml --backend cuda "$DATA/first-look.pcap"
expect_status 2 "$WARPMETER" extract --rounds 3 "$DATA/first-look.pcap"
expect_status 2 "$WARPMETER" extract --policy policy.toml --rounds auto "$DATA/first-look.pcap"
expect_one_line '^warpmeter: --rounds auto is for live'
expect_status 2 "$WARPMETER" live -i lo --policy policy.toml --rounds few
expect_one_line '^warpmeter: --rounds few: neither a number of groups nor auto'

# What is read is not written over.
cp policy.toml kept.toml
expect_status 1 "$WARPMETER" extract -q --policy policy.toml --format csv -o policy.toml "$DATA/first-look.pcap"
expect_status 1 "$WARPMETER" extract -q --policy policy.toml -o x.csv --stats policy.toml "$DATA/first-look.pcap"
expect_status 1 "$WARPMETER" policy test -q policy.toml "$DATA/first-look.pcap" --stats policy.toml
expect_status 1 "$WARPMETER" policy test -q policy.toml "$DATA/first-look.pcap" --expect lines.txt --stats lines.txt
expect_status 1 "$WARPMETER" policy explain policy.toml --svg policy.toml
cmp policy.toml kept.toml

# A directory is no file of lines; a column of Flow Records is no field.
expect_status 1 "$WARPMETER" policy test policy.toml "$DATA/first-look.pcap" --expect .
for name in packets labels src_addr end_reason start_us vlan_id reverse_bytes duration_ns community_id; do
  sed "s/label = .*/field = { $name = \"http.host\" }/" policy.toml > odd.toml
  expect_status 2 "$WARPMETER" policy check odd.toml
  expect_one_line "group 2 rule 1: bad column '$name': Flow Records have a column of that name"
done

# The table has them.
"$WARPMETER" extract -q --policy policy.toml --format table "$DATA/first-look.pcap" > table.txt
head -1 table.txt | grep -q LABELS || fail "$(head -1 table.txt)"
grep -q 'https;web' table.txt || fail "no label in the table"
