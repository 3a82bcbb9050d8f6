#include "packet/file/pcap_format.h"

#include <algorithm>
#include <optional>

#include "warpmeter/link_type.h"

namespace warpmeter::inline packet {
namespace {

constexpr std::uint32_t kMicroseconds = 0xa1b2c3d4;
constexpr std::uint32_t kNanoseconds = 0xa1b23c4d;
constexpr std::uint32_t kModified = 0xa1b2cd34;
constexpr std::uint32_t kModifiedRecordHeader = 24;
constexpr std::uint32_t kSwapsLengthsAtTimes = 2u << 16 | 3;  // version 2.3; those before it do always
constexpr std::uint32_t kPcapngSection = 0x0a0d0d0a;
constexpr std::uint32_t kPcapngByteOrder = 0x1a2b3c4d;

// AIX writes version 2.2 with the interface types of its kernel for link types. Nothing: it is no such file.
std::optional<std::uint16_t> link_of_aix(std::uint32_t version, std::uint16_t link) {
  if (version != (2u << 16 | 2)) return std::nullopt;
  switch (link) {
    case 6: return kLinkEthernet;
    case 9: return kLinkTokenRing;
    case 15: return kLinkFddi;
    case 24: return kLinkNull;
    default: return std::nullopt;
  }
}

bool is_native_magic(std::uint32_t magic) {
  return magic == kMicroseconds || magic == kNanoseconds || magic == kModified;
}

}  // namespace

bool PcapFormat::is_magic(const std::uint8_t* first4) {
  const auto magic = load<std::uint32_t>(first4);
  return is_native_magic(magic) || is_native_magic(byte_swap(magic));
}

bool begins_next_file(const std::uint8_t* p) {
  const auto third = load<std::uint32_t>(p + 8);
  if (load<std::uint32_t>(p) == kPcapngSection) {
    return third == kPcapngByteOrder || third == byte_swap(kPcapngByteOrder);
  }
  if (!PcapFormat::is_magic(p)) return false;
  const bool swapped = !is_native_magic(load<std::uint32_t>(p));
  const auto major = load<std::uint16_t>(p + 4), minor = load<std::uint16_t>(p + 6);
  // The time zone and its accuracy, which all programs leave 0.
  return (swapped ? byte_swap(major) : major) == 2 && (swapped ? byte_swap(minor) : minor) <= 4 && third == 0 &&
         load<std::uint32_t>(p + 12) == 0;
}

PcapFormat PcapFormat::parse(const std::uint8_t* header) {
  PcapFormat format;
  auto magic = load<std::uint32_t>(header);
  format.swapped = !is_native_magic(magic);
  if (format.swapped) magic = byte_swap(magic);
  const auto half = [&](int at) {
    const auto value = load<std::uint16_t>(header + at);
    return format.swapped ? byte_swap(value) : value;
  };
  const std::uint32_t version = std::uint32_t{half(4)} << 16 | half(6);
  format.lengths_swapped = version < kSwapsLengthsAtTimes;
  format.lengths_doubtful = version == kSwapsLengthsAtTimes;
  if (magic == kNanoseconds) format.ns_per_fraction = 1;
  if (magic == kModified) format.record_header = kModifiedRecordHeader;
  format.link = half(format.swapped ? 22 : 20);  // the other half tells about the FCS
  if (const auto link = link_of_aix(version, format.link)) {
    format.link = *link;
    format.ns_per_fraction = 1;
    format.lengths_swapped = false;
  }
  format.snap_length = load<std::uint32_t>(header + 16);
  if (format.swapped) format.snap_length = byte_swap(format.snap_length);
  return format;
}

std::string fault_text(PcapFault fault, std::uint32_t captured) {
  switch (fault) {
    case PcapFault::none:
    case PcapFault::next_file: return "";
    case PcapFault::header_cut_short: return "record header cut short";
    case PcapFault::too_long: return "captured length " + std::to_string(captured);
    case PcapFault::record_cut_short: return "record cut short";
    case PcapFault::zeros: return "zeros up to the end";
    case PcapFault::unlikely: return "an unlikely record header";
  }
  return "";
}

namespace {

// A limit is asked of every frame; who has none does without.
template <bool kSwapped, bool kLimited>
void walk_as(const PcapFormat format, const FileBytes bytes, std::uint64_t end, PcapWalk& walk,
             std::vector<Frame>& frames, std::size_t most) {
  std::uint64_t at = walk.at;
  walk.fault = PcapFault::none;
  std::size_t room = most - std::min(most, frames.size());
  for (; at < end && (!kLimited || room > 0); walk.at = at, --room) {
    const std::uint64_t left = bytes.end - at;
    if (at >= bytes.end || left < format.record_header) {
      walk.fault = PcapFault::header_cut_short;
      return;
    }
    const std::uint8_t* p = bytes.at(at);
    const PcapRecord record = read_pcap_record<kSwapped>(format, p);
    const std::uint64_t whole = std::uint64_t{format.record_header} + record.captured;
    if (is_odd_length(record.captured)) {
      if (begins_next_file(p)) {
        walk.fault = PcapFault::next_file;
        return;
      }
      if (record.captured > kMaxCaptured) {
        walk.fault = PcapFault::too_long;
        walk.captured = record.captured;
        return;
      }
      if (at >= walk.zeros_from && is_zero_header(format, p)) {
        walk.fault = PcapFault::zeros;
        return;
      }
    }
    if (whole > left) {
      walk.fault = PcapFault::record_cut_short;
      walk.captured = record.captured;
      return;
    }
    if (record.has_odd_fraction(format)) walk.odd_fraction = std::min(walk.odd_fraction, at);
    frames.push_back(frame_of(format, record, p));
    at += whole;
  }
}

}  // namespace

void walk_records(const PcapFormat& format, const FileBytes& bytes, std::uint64_t end, PcapWalk& walk,
                  std::vector<Frame>& frames, std::size_t most) {
  const bool limited = most != std::numeric_limits<std::size_t>::max();
  const auto walk_as_it_is = format.swapped ? (limited ? walk_as<true, true> : walk_as<true, false>)
                                            : (limited ? walk_as<false, true> : walk_as<false, false>);
  walk_as_it_is(format, bytes, end, walk, frames, most);
}

}  // namespace warpmeter::inline packet
