// The pcap file format: a header of 24 bytes, then records of 16 (or 24) bytes and the captured bytes each.
#include "capture.h"

#include <utility>

#include "link.h"

namespace reference {
namespace {

constexpr uint32_t most_captured = 2u << 20;

struct Format {
  bool little = false;
  int64_t unit = 0;  // ns of one step of a record's time fraction
  size_t record_header = 0;
  uint32_t link = 0;
  unsigned version = 0;  // 0x204 is 2.4
  bool aix = false;      // then times are in ns, and lengths as ever
};

uint32_t number(std::span<const uint8_t> file, size_t at, size_t count, bool little) {
  uint32_t value = 0;
  for (size_t i = 0; i < count; ++i) value = value << 8 | file[at + (little ? count - 1 - i : i)];
  return value;
}

Format read_header(std::span<const uint8_t> file) {
  if (file.size() < 24) throw NotACapture("the file header is cut short");
  Format format;
  for (bool little : {true, false}) {
    const uint32_t magic = number(file, 0, 4, little);
    if (magic != 0xa1b2c3d4 && magic != 0xa1b23c4d && magic != 0xa1b2cd34) continue;
    format.little = little;
    format.unit = magic == 0xa1b23c4d ? 1 : 1000;
    format.record_header = magic == 0xa1b2cd34 ? 24 : 16;
  }
  if (format.unit == 0) throw NotACapture("not a pcap file");
  format.version = number(file, 4, 2, format.little) << 16 | number(file, 6, 2, format.little);
  format.link = number(file, 20, 4, format.little) & 0xffff;  // the upper half tells about the FCS
  constexpr std::pair<uint32_t, uint32_t> links_of_aix[] = {{6, 1}, {9, 6}, {15, 10}, {24, 0}};
  for (const auto& [of_aix, link] : links_of_aix) {
    if (format.version != (2u << 16 | 2u) || format.link != of_aix) continue;
    format.link = link;
    format.unit = 1;
    format.aix = true;
    break;
  }
  if (!is_known_link(format.link)) throw NotACapture("unknown link type " + std::to_string(format.link));
  return format;
}

bool lengths_are_swapped(const Format& format, uint32_t first, uint32_t second) {
  if (format.aix) return false;
  constexpr unsigned version_2_3 = 2u << 16 | 3u;
  return format.version < version_2_3 || (format.version == version_2_3 && first > second);
}

size_t without_zeros_at_the_end(std::span<const uint8_t> file) {
  size_t size = file.size();
  while (size > 0 && file[size - 1] == 0) --size;
  return size;
}

}  // namespace

Capture read_capture(std::span<const uint8_t> file) {
  const Format format = read_header(file);
  Capture capture;
  const size_t zeros_from = without_zeros_at_the_end(file);
  size_t at = 24;
  while (at < file.size()) {
    const auto damaged = [&](const char* reason) {
      capture.damage = Damage{at, reason};
      return capture;
    };
    if (file.size() - at < format.record_header) return damaged("the record header is cut short");
    if (at >= zeros_from) return damaged("nothing but zeros up to the end");
    const int64_t seconds = number(file, at, 4, format.little);
    const int64_t fraction = static_cast<int32_t>(number(file, at + 4, 4, format.little));
    uint32_t captured = number(file, at + 8, 4, format.little);
    uint32_t original = number(file, at + 12, 4, format.little);
    if (lengths_are_swapped(format, captured, original)) std::swap(captured, original);
    if (captured > most_captured) return damaged("the captured length is over 2 MiB");
    if (file.size() - at - format.record_header < captured) return damaged("the record is cut short");
    capture.frames.push_back({seconds * 1'000'000'000 + fraction * format.unit, format.link, original,
                              Bytes(file.subspan(at + format.record_header, captured))});
    at += format.record_header + captured;
  }
  return capture;
}

}  // namespace reference
