# CHANGELOG.md as a Debian changelog: an entry a version, its list items and what group they are of. Needs TZ=UTC LC_ALL=C.
#
#   awk -v release=1 -v maintainer='NAME <ADDRESS>' -v now=SECONDS -f changelog.awk CHANGELOG.md
#
# `now`: the date of a version that is not released yet.
function put(text, first, rest,   words, n, i, line) {
  n = split(text, words, " ")
  line = first
  for (i = 1; i <= n; i++) {
    if (length(line " " words[i]) > 78 && line != first && line != rest) { print line; line = rest }
    line = (line == first || line == rest) ? line words[i] : line " " words[i]
  }
  print line
}
function end_item() { if (item) put(item, "  * ", "    "); item = "" }
function end_entry() {
  if (!version) return
  end_item()
  printf "\n -- %s  %s\n", maintainer, strftime("%a, %d %b %Y %H:%M:%S +0000", date)
}
/^## \[/ {
  end_entry()
  if (version) print ""
  version = $2
  gsub(/[][]/, "", version)
  date = $4 == "unreleased" ? now : mktime(substr($4, 1, 4) " " substr($4, 6, 2) " " substr($4, 9, 2) " 12 00 00")
  printf "warpmeter (%s-%s) %s; urgency=medium\n\n", version, release, $4 == "unreleased" ? "UNRELEASED" : "unstable"
  group = ""
  next
}
/^### / { end_item(); group = $2 ": "; next }
/^- / { end_item(); item = group substr($0, 3); next }
/^  / { if (item) item = item " " substr($0, 3); next }
/^$/ { end_item(); next }
END { end_entry() }
