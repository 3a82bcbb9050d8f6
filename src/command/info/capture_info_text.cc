#include "command/info/capture_info.h"

#include <fmt/format.h>

#include <ctime>

#include "base/words/human_units.h"
#include "base/words/printable.h"
#include "packet/decode/unread_words.h"
#include "packet/file/capture_links.h"

namespace warpmeter::inline command {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

constexpr std::size_t kNamesOfInfo = 20;

std::string line(const char* what, const std::string& value) { return fmt::format("  {:<20}{}\n", what, value); }
std::string line(const char* what, std::uint64_t value) { return line(what, std::to_string(value)); }

std::string format_text(const CaptureFacts& facts) {
  const std::string order = facts.big_endian ? ", big-endian" : ", little-endian";
  switch (facts.format) {
    case InputFormat::pcap: return (facts.modified ? "pcap, modified" : "pcap") + order;
    case InputFormat::pcapng: {
      return "pcapng" + order + (facts.sections > 1 ? fmt::format(", {} sections", facts.sections) : "");
    }
    case InputFormat::hpcap: return "HP-CAP";
    default: return "ERF";
  }
}

std::string compression_text(const CaptureFacts& facts) {
  return facts.compression.empty() ? "" : fmt::format(", {}-compressed", facts.compression);
}

std::string resolution_text(std::uint8_t resolution) {
  switch (resolution) {
    case 0: return "seconds";
    case 3: return "milliseconds";
    case 6: return "microseconds";
    case 9: return "nanoseconds";
    default: return fmt::format("{}^-{} s", resolution & 0x80 ? 2 : 10, resolution & 0x7f);
  }
}

std::string interface_text(const InterfaceFacts& i) {
  std::string text;
  if (!i.name.empty()) text += printable(i.name) + ", ";
  if (!i.description.empty()) text += printable(i.description) + ", ";
  text += i.link == kUnknownLink ? "others" : link_name(i.link);
  if (!i.decoded) text += ", not decoded";
  if (i.snap_length) text += fmt::format(", at most {} bytes", i.snap_length);
  return text + ", " + resolution_text(i.resolution);
}

std::string interfaces_text(const CaptureFacts& facts) {
  std::string text;
  for (std::size_t i = 0; i < facts.interfaces.size(); ++i) {
    const InterfaceFacts& f = facts.interfaces[i];
    const bool numbered = facts.format == InputFormat::pcapng;
    text += line(numbered ? fmt::format("interface {}", i).c_str() : "link type",
                 interface_text(f) + (facts.counts_packets ? ", " + human_number_of(f.packets, "packet") : ""));
  }
  if (facts.more_interfaces) text += line("more interfaces", facts.more_interfaces);
  return text;
}

std::string duration_text(std::int64_t ns) {
  return fmt::format("{}.{:09} s{}", ns / kNsPerSecond, ns % kNsPerSecond,
                     ns < 60 * kNsPerSecond ? "" : " (" + human_span(ns) + ")");
}

// Per second; nothing where no time passes.
double rate(std::uint64_t count, const FrameSums& s) {
  const auto ns = static_cast<double>(s.latest_ns) - static_cast<double>(s.earliest_ns);
  return ns > 0 ? static_cast<double>(count) * 1e9 / ns : 0;
}

std::string times_text(const FrameSums& s) {
  std::string text = line("earliest packet", fmt::format("{} ({} ns)", exact_utc_text(s.earliest_ns), s.earliest_ns)) +
                     line("latest packet", fmt::format("{} ({} ns)", exact_utc_text(s.latest_ns), s.latest_ns)) +
                     line("duration", duration_text(s.latest_ns - s.earliest_ns));
  if (s.latest_ns > s.earliest_ns) {
    text += line("average rate", fmt::format("{} packets/s, {}", human_count(rate(s.frames(), s)),
                                             human_bit_rate(rate(s.original, s))));
  }
  return text + line("time order", s.backwards == 0 ? "kept"
                                                    : fmt::format("{} earlier than the one before, by {} at most",
                                                                  human_number_of(s.backwards, "packet"),
                                                                  duration_text(s.furthest_back_ns)));
}

std::string list(std::initializer_list<std::pair<const char*, std::uint64_t>> counts) {
  std::string text;
  for (const auto& [what, count] : counts) {
    if (count) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", what, count);
  }
  return text.empty() ? "none" : text;
}

std::string ignored_text(const DecodeCounters& decode) {
  std::string text;
  for (int i = 0; i < kIgnoredReasons; ++i) {
    if (decode.ignored[i]) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", kIgnoredNames[i], decode.ignored[i]);
    }
  }
  return text.empty() ? "none" : text;
}

std::string sums_text(const FrameSums& s) {
  std::string text = line("packets", s.frames());
  if (s.frames() == 0) return text;
  text += line("bytes on the wire", fmt::format("{} ({})", s.original, human_bytes(static_cast<double>(s.original))));
  text += line("bytes captured",
               fmt::format("{} ({}), {}", s.captured, human_bytes(static_cast<double>(s.captured)),
                           s.cut ? human_number_of(s.cut, "packet") + " cut short" : "all packets whole"));
  text += line("packet length",
               fmt::format("{:.1f} bytes on average, {} to {}",
                           static_cast<double>(s.original) / static_cast<double>(s.frames()), s.smallest, s.largest));
  text += times_text(s);
  text += line("IP", list({{"IPv4", s.ip4}, {"IPv6", s.ip6}}));
  text += line("protocols", list({{"TCP", s.tcp}, {"UDP", s.udp}, {"ICMP", s.icmp}, {"other", s.other}}));
  if (s.fragments) text += line("later fragments", s.fragments);
  if (s.vlan) text += line("in a VLAN", s.vlan);
  text += line("not metered", ignored_text(s.decode));
  const NamedCounts not_ip = not_ip_names(s.decode, kNamesOfInfo);
  return not_ip.total == 0 ? text : text + line("not IP", text_of(not_ip));
}

std::string bytes_text(std::uint64_t bytes) {
  return fmt::format("{} bytes ({})", bytes, human_bytes(static_cast<double>(bytes)));
}

}  // namespace

void CaptureTotal::add(const CaptureInfo& info) {
  ++files;
  damaged += !info.damage.empty() || !info.unreadable.empty();
  bytes += info.bytes;
  sums.append(info.sums);
}

std::string exact_utc_text(std::int64_t ns) {
  std::int64_t seconds = ns / kNsPerSecond, fraction = ns % kNsPerSecond;
  if (fraction < 0) {
    fraction += kNsPerSecond;
    --seconds;
  }
  const std::time_t time = seconds;
  std::tm utc{};
  gmtime_r(&time, &utc);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:09} UTC", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                     utc.tm_hour, utc.tm_min, utc.tm_sec, fraction);
}

std::string capture_info_text(const CaptureInfo& info) {
  std::string text = printable(info.file) + "\n" +
                     line("format", format_text(info.facts) + compression_text(info.facts)) +
                     line("size", bytes_text(info.bytes)) + interfaces_text(info.facts) + sums_text(info.sums);
  if (!info.damage.empty()) {
    const Damage& first = info.damage.front();
    text += line("damaged", fmt::format("at byte {}: {}{}", first.offset, printable(first.reason),
                                        first.skipped ? "" : "; nothing after it was read"));
  }
  if (info.skips.places) text += line("skipped", text_of(info.skips));
  for (const OddFractions& odd : info.odd_fractions) {
    text += line("fractions", fmt::format("below 0 or of a second and more from byte {} on", odd.offset));
  }
  if (!info.unreadable.empty()) text += line("unreadable", "in part: " + printable(info.unreadable));
  if (info.interrupted) text += line("interrupted", "there is more in it");
  return text;
}

std::string capture_total_text(const CaptureTotal& total) {
  return fmt::format("{} files in this order\n", total.files) + line("size", bytes_text(total.bytes)) +
         (total.damaged ? line("damaged files", total.damaged) : "") +
         (total.unreadable ? line("unreadable files", total.unreadable) : "") +
         (total.read_before ? line("read before", fmt::format("{} under another name", total.read_before)) : "") +
         (total.passed_over ? line("passed over", fmt::format("{} without captures", total.passed_over)) : "") +
         sums_text(total.sums);
}

}  // namespace warpmeter::inline command
