#include "app/cli/input_words.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <filesystem>
#include <string>
#include <string_view>

#include "app/cli/parse_values.h"
#include "base/words/printable.h"
#include "core/flow_hash.h"
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

// As UdpTunnel counts them.
constexpr std::array<const char*, kUdpTunnels> kFullNames = {"VXLAN",      "VXLAN-GPE",   "Geneve",   "GTP-U",
                                                             "Teredo",     "L2TP",        "TZSP",     "CAPWAP data",
                                                             "GRE in UDP", "MPLS in UDP", "LISP data"};

void add_ports(CLI::App& command, CLI::Option* decapsulate, UdpTunnel kind, TunnelPorts& ports) {
  const auto number = static_cast<std::size_t>(kind);
  const TunnelPorts usual;
  const std::string option = fmt::format("--{}-port", kUdpTunnelNames[number]);
  const auto set = [&ports, kind, option](const std::string& text) {
    ports.set(kind, parse_ports(option, text, TunnelPorts().of(kind)));
  };
  std::string help = fmt::format("UDP ports of {} (default {})", kFullNames[number], fmt::join(usual.of(kind), ","));
  if (kind == UdpTunnel{}) help += "; in this list and those below, + before it leaves the default ones in place";
  command.add_option_function<std::string>(option, set, help)->type_name("[+]LIST")->needs(decapsulate);
}

}  // namespace

CLI::Option* add_input_format(CLI::App& command, InputFormat& format) {
  return add_word(command, "--input-format", format,
                  {{"auto", InputFormat::automatic},
                   {"pcap", InputFormat::pcap},
                   {"pcapng", InputFormat::pcapng},
                   {"hpcap", InputFormat::hpcap},
                   {"erf", InputFormat::erf}},
                  "what all inputs are (default auto: what they look like)");
}

CLI::Option* add_file_order(CLI::App& command, FileOrder& order) {
  return add_word(command, "--order", order,
                  {{"time", FileOrder::time}, {"given", FileOrder::given}, {"name", FileOrder::name}},
                  "several files in the order of their first packets, packets of files that "
                  "overlap merged by time (time, the default); one after the other as named "
                  "(given), or by their names (name)");
}

CLI::Option* add_partition(CLI::App& command, std::optional<PartitionChoice>& partition) {
  const auto set = [&partition](const std::string& text) {
    PartitionChoice choice;
    const char* const end = text.data() + text.size();
    const auto number = std::from_chars(text.data(), end, choice.number);
    const bool slash = number.ec == std::errc() && number.ptr != end && *number.ptr == '/';
    const auto of = slash ? std::from_chars(number.ptr + 1, end, choice.of) : number;
    const bool good = slash && of.ec == std::errc() && of.ptr == end && std::has_single_bit(choice.of) &&
                      choice.of <= kShards && 1 <= choice.number && choice.number <= choice.of;
    if (!good) {
      throw Error(fmt::format("--partition {}: not I/N, as 3/16: part I, from 1 on, of N, a power of two up to {}",
                              text, kShards),
                  ExitStatus::usage);
    }
    partition = choice;
  };
  return command.add_option_function<std::string>("--partition", set,
                                                  "of segment files (see decode): part I/N of all flows, such as 3/16");
}

void open_input_group(CLI::App& command) { command.option_defaults()->group("Input"); }

CLI::Option* add_captures(CLI::App& command, std::vector<std::string>& words, const std::string& more) {
  return command
      .add_option("INPUT", words,
                  "capture files (pcap, pcapng, HP-CAP, ERF), folders of them, or - for standard input; then perhaps a "
                  "capture filter as in pcap-filter(7)" +
                      more)
      ->required();
}

CLI::Option* add_recursive(CLI::App& command, bool& recursive) {
  return command.add_flag("--recursive", recursive, "folders with all folders below them");
}

CLI::Option* add_geo(CLI::App& command, std::vector<std::string>& files) {
  return command
      .add_option(
          "--geo", files,
          "a database of MaxMind's format (.mmdb), such as GeoLite2-City and GeoLite2-ASN: flows get columns "
          "source_country, source_city, source_asn, source_as_org, and the same of the destination; may be given "
          "several times")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

CLI::Option* add_resync(CLI::App& command, bool& resync) {
  return command.add_flag("--resync", resync,
                          "behind damage go on at the next place where packets seem to be, and count what was skipped "
                          "(default: a file ends at its damage)");
}

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

void add_tunnels(CLI::App& command, bool& decapsulate, TunnelPorts& ports) {
  const std::string group = command.option_defaults()->get_group();
  command.option_defaults()->group("Tunnels");
  CLI::Option* const flag =
      command.add_flag("--decapsulate", decapsulate,
                       "the innermost packet of a tunnel counts instead of the outermost, up to 8 within each other: "
                       "IP in IP, GRE and its kin, EtherIP, MPLS in IP, Ethernet in IPv6, and those over UDP below");
  for (std::size_t i = 0; i < kUdpTunnels; ++i) add_ports(command, flag, static_cast<UdpTunnel>(i), ports);
  command.option_defaults()->group(group);
}

TunnelPorts::Ports parse_ports(const std::string& option, const std::string& text, const TunnelPorts::Ports& before) {
  const auto refuse = [&](const std::string& why) {
    throw Error(
        fmt::format("{} '{}': {}; such as 4789,8472, or +5000 beside the usual ones", option, shortened(text), why),
        ExitStatus::usage);
  };
  const bool adds = text.starts_with('+');
  TunnelPorts::Ports ports = adds ? before : TunnelPorts::Ports();
  std::string_view rest = std::string_view(text).substr(adds);
  if (rest.empty()) refuse("there are no ports");
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    const std::string_view word = rest.substr(0, comma);
    std::uint16_t port = 0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), port);
    if (read.ec != std::errc() || read.ptr != word.data() + word.size() || port == 0) {
      refuse(fmt::format("'{}' is no port from 1 to 65535", shortened(std::string(word))));
    }
    ports.push_back(port);
    more = comma != std::string_view::npos;
    if (more) rest.remove_prefix(comma + 1);
  }
  return ports;
}

}  // namespace warpmeter::inline app
