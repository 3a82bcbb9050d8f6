#include "packet/file/pcapng_reader.h"

#include <algorithm>

#include "core/byte_order.h"
#include "packet/file/limits.h"
#include "warpmeter/frame.h"
#include "warpmeter/link_type.h"

namespace warpmeter::inline packet {
namespace {

constexpr std::uint16_t kOptionEnd = 0;
constexpr std::uint16_t kOptionName = 2;
constexpr std::uint16_t kOptionDescription = 3;
constexpr std::uint16_t kOptionResolution = 9;
constexpr std::uint16_t kOptionOffset = 14;
constexpr std::int64_t kNsPerSecond = 1'000'000'000;

template <class T>
T field(const std::uint8_t* p, bool swapped) {
  const auto value = load<T>(p);
  return swapped ? byte_swap(value) : value;
}

std::string text(const std::uint8_t* p, std::size_t size) {
  return {reinterpret_cast<const char*>(p), std::min(size, kMostText)};
}

std::int64_t clamp_time(__int128 ns, std::uint64_t* clamped) {
  const __int128 inside = std::clamp<__int128>(ns, -kMaxTimeNs, kMaxTimeNs - 1);
  if (clamped && inside != ns) ++*clamped;
  return static_cast<std::int64_t>(inside);
}

}  // namespace

PcapngInterface PcapngInterface::parse(const std::uint8_t* body, std::size_t size, bool swapped) {
  PcapngInterface i{};
  i.resolution = 6;
  i.link = field<std::uint16_t>(body, swapped);
  i.decoded_link = is_known_link(i.link) ? i.link : kUnknownLink;
  i.snap_length = field<std::uint32_t>(body + 4, swapped);
  for (std::size_t at = 8; at + 4 <= size;) {
    const auto code = field<std::uint16_t>(body + at, swapped);
    const auto length = field<std::uint16_t>(body + at + 2, swapped);
    if (code == kOptionEnd) break;
    if (code == kOptionResolution && length >= 1 && at + 4 < size) i.resolution = body[at + 4];
    if (code == kOptionOffset && length == 8 && at + 12 <= size) {
      i.offset_s = static_cast<std::int64_t>(field<std::uint64_t>(body + at + 4, swapped));
    }
    const bool whole = at + 4 + length <= size;
    if (code == kOptionName && whole) i.name = text(body + at + 4, length);
    if (code == kOptionDescription && whole) i.description = text(body + at + 4, length);
    at += 4 + (length + 3u) / 4 * 4;
  }
  return i;
}

std::int64_t PcapngInterface::time_ns(std::uint64_t ticks, std::uint64_t* clamped) const {
  if (resolution == 6 && offset_s == 0 && ticks < static_cast<std::uint64_t>(kMaxTimeNs) / 1000) {
    return static_cast<std::int64_t>(ticks * 1000);
  }
  auto ns = static_cast<unsigned __int128>(ticks) * kNsPerSecond;
  if (resolution & 0x80) {
    ns >>= resolution & 0x7f;
  } else {
    for (int n = 0; n < resolution && ns; ++n) ns /= 10;
  }
  return clamp_time(static_cast<__int128>(ns) + static_cast<__int128>(offset_s) * kNsPerSecond, clamped);
}

}  // namespace warpmeter::inline packet
