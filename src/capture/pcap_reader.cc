#include "capture/pcap_reader.h"

#include <utility>

#include "capture/limits.h"
#include "capture/link_name.h"
#include "warpmeter/byte_order.h"
#include "warpmeter/link_type.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

constexpr std::uint32_t kMicroseconds = 0xa1b2c3d4;
constexpr std::uint32_t kNanoseconds = 0xa1b23c4d;
constexpr std::uint32_t kModified = 0xa1b2cd34;
constexpr std::uint32_t kModifiedRecordHeader = 24;

bool is_native_magic(std::uint32_t magic) {
  return magic == kMicroseconds || magic == kNanoseconds || magic == kModified;
}

template <bool kSwapped>
std::uint32_t field(const std::uint8_t* p) {
  const auto value = load<std::uint32_t>(p);
  return kSwapped ? byte_swap(value) : value;
}

}  // namespace

bool PcapReader::is_magic(const std::uint8_t* first4) {
  const auto magic = load<std::uint32_t>(first4);
  return is_native_magic(magic) || is_native_magic(byte_swap(magic));
}

bool PcapReader::recognises(const ByteSource& source) { return source.left() >= kFileHeader && is_magic(source.at()); }

PcapReader::PcapReader(std::string name, std::unique_ptr<ByteSource> source)
    : name_(std::move(name)), source_(std::move(source)) {
  const std::uint8_t* p = source_->at();
  auto magic = load<std::uint32_t>(p);
  swapped_ = !is_native_magic(magic);
  if (swapped_) magic = byte_swap(magic);
  const auto half = [&](int at) {
    const auto value = load<std::uint16_t>(p + at);
    return swapped_ ? byte_swap(value) : value;
  };
  const std::uint32_t version = std::uint32_t{half(4)} << 16 | half(6);
  lengths_swapped_ = version < (2u << 16 | 3);
  lengths_doubtful_ = version == (2u << 16 | 3);
  if (magic == kNanoseconds) ns_per_fraction_ = 1;
  if (magic == kModified) record_header_ = kModifiedRecordHeader;
  const std::uint32_t link = swapped_ ? field<true>(p + 20) : field<false>(p + 20);
  link_ = static_cast<std::uint16_t>(link);  // the upper half tells about the FCS
  if (!is_known_link(link_)) throw Error(name_ + ": link type " + link_name(link_) + " is not supported");
  source_->advance(kFileHeader);
}

bool PcapReader::read(FrameBlock& block, std::size_t limit) {
  source_->lend_to(&block.bytes);
  return swapped_ ? read_records<true>(block, limit) : read_records<false>(block, limit);
}

template <bool kSwapped>
bool PcapReader::read_records(FrameBlock& block, std::size_t limit) {
  while (block.frames.size() < limit) {
    if (!source_->need(record_header_)) return source_->left() == 0 ? false : damaged("record header cut short");
    const std::uint8_t* p = source_->at();
    const std::int64_t seconds = field<kSwapped>(p);
    const std::int64_t fraction = field<kSwapped>(p + 4);
    std::uint32_t captured = field<kSwapped>(p + 8);
    std::uint32_t original = field<kSwapped>(p + 12);
    if (lengths_swapped_ || (lengths_doubtful_ && captured > original)) std::swap(captured, original);
    if (captured > kMaxCaptured) return damaged("captured length " + std::to_string(captured));
    const std::size_t whole = std::size_t{record_header_} + captured;
    if (!source_->need(whole)) return damaged("record cut short");
    p = source_->at();
    // The frame after next, if it is as long as this one: its header is on the way when we get there.
    __builtin_prefetch(p + 2 * whole);
    block.frames.push_back(
        {p + record_header_, seconds * 1'000'000'000 + fraction * ns_per_fraction_, captured, original, link_});
    source_->advance(whole);
  }
  return true;
}

bool PcapReader::damaged(std::string reason) {
  damage_ = Damage{name_, source_->offset(), std::move(reason)};
  return false;
}

}  // namespace warpmeter
