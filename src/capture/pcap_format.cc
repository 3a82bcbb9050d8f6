#include "capture/pcap_format.h"

namespace warpmeter {
namespace {

constexpr std::uint32_t kMicroseconds = 0xa1b2c3d4;
constexpr std::uint32_t kNanoseconds = 0xa1b23c4d;
constexpr std::uint32_t kModified = 0xa1b2cd34;
constexpr std::uint32_t kModifiedRecordHeader = 24;

bool is_native_magic(std::uint32_t magic) {
  return magic == kMicroseconds || magic == kNanoseconds || magic == kModified;
}

}  // namespace

bool PcapFormat::is_magic(const std::uint8_t* first4) {
  const auto magic = load<std::uint32_t>(first4);
  return is_native_magic(magic) || is_native_magic(byte_swap(magic));
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
  format.lengths_swapped = version < (2u << 16 | 3);
  format.lengths_doubtful = version == (2u << 16 | 3);
  if (magic == kNanoseconds) format.ns_per_fraction = 1;
  if (magic == kModified) format.record_header = kModifiedRecordHeader;
  format.link = half(format.swapped ? 22 : 20);  // the other half tells about the FCS
  format.snap_length = load<std::uint32_t>(header + 16);
  if (format.swapped) format.snap_length = byte_swap(format.snap_length);
  return format;
}

std::string fault_text(PcapFault fault, std::uint32_t captured) {
  switch (fault) {
    case PcapFault::none: return "";
    case PcapFault::header_cut_short: return "record header cut short";
    case PcapFault::too_long: return "captured length " + std::to_string(captured);
    case PcapFault::record_cut_short: return "record cut short";
  }
  return "";
}

}  // namespace warpmeter
