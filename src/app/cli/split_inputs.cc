#include "app/cli/split_inputs.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/words/shortened.h"
#include "warpmeter/status.h"

namespace warpmeter::inline app {
namespace {

constexpr std::string_view kDigits = "0123456789";

// Names of captures, also as rotation leaves them: span.pcap12, trace.pcap.3, monday.pcap.gz.
bool ends_like_capture(std::string_view word) {
  constexpr std::string_view kEndings[] = {".pcap", ".pcapng", ".cap", ".dmp", ".dump",
                                           ".gz",   ".zst",    ".lz4", ".erf", ".segments"};
  std::string_view stem = word.substr(0, word.find_last_not_of(kDigits) + 1);
  if (stem.ends_with('.')) stem.remove_suffix(1);
  return std::any_of(std::begin(kEndings), std::end(kEndings),
                     [&](auto ending) { return word.ends_with(ending) || stem.ends_with(ending); });
}

// 10.0.0.0/8, 2001:db8::/32, ip[6]/2: in filters a number of bits, or a division, stands behind a slash.
bool has_slash_of_file(std::string_view word) {
  const std::size_t slash = word.rfind('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view before = word.substr(0, slash), behind = word.substr(slash + 1);
  const bool digits = !behind.empty() && behind.find_first_not_of(kDigits) == std::string_view::npos;
  return !digits || before.find_first_not_of("0123456789abcdefABCDEF.:[]()&+-*ip") != std::string_view::npos;
}

bool looks_like_file(const std::string& word) {
  if (word.find(' ') != std::string::npos) return false;
  return ends_like_capture(word) || has_slash_of_file(word);
}

// Also a link to nowhere.
bool exists_as_anything(const std::string& word) {
  std::error_code error;
  return std::filesystem::symlink_status(word, error).type() > std::filesystem::file_type::none;
}

bool is_input(const std::string& word) { return word == "-" || exists_as_anything(word) || looks_like_file(word); }

// As filters begin. A file may be called so as well.
bool begins_filter(std::string_view word) {
  constexpr std::string_view kFirst[] = {"arp",       "dst",   "ether", "greater", "host", "icmp", "icmp6",
                                         "ip",        "ip6",   "less",  "mpls",    "net",  "not",  "port",
                                         "portrange", "proto", "sctp",  "src",     "tcp",  "udp",  "vlan"};
  while (word.starts_with('(') || word.starts_with('!') || word.starts_with(' ')) word.remove_prefix(1);
  return std::ranges::count(kFirst, word.substr(0, word.find_first_of(" [)"))) > 0;
}

[[noreturn]] void refuse_order(const std::string& word, const char* remark) {
  throw Error("'" + shortened(word) + "': inputs come first, a capture filter behind them" + remark, ExitStatus::usage);
}

}  // namespace

InputsAndFilter split_inputs(const std::vector<std::string>& words) {
  if (!words.empty() && !is_input(words[0]) && begins_filter(words[0])) {
    refuse_order(words[0], " (nor is there a file of that name)");
  }
  InputsAndFilter split;
  std::size_t i = 0;
  // The first word is an input in any case: there is no filter without one.
  for (; i < words.size() && (i == 0 || is_input(words[i])); ++i) split.inputs.push_back(words[i]);
  for (; i < words.size(); ++i) {
    if (ends_like_capture(words[i]) && exists_as_anything(words[i])) refuse_order(words[i], "");
    (split.filter += split.filter.empty() ? "" : " ") += words[i];
  }
  return split;
}

}  // namespace warpmeter::inline app
