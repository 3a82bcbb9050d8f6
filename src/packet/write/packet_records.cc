#include "packet/write/packet_records.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <utility>

#include "core/byte_order.h"
#include "packet/file/interface_list.h"

namespace warpmeter::inline packet {

namespace {

constexpr std::uint32_t kEnhancedPacket = 6;
constexpr std::size_t kUnit = 4, kPcapHeader = 16, kPcapngHeader = 28, kInterfaceOfBlock = 8;  // bytes before that
constexpr std::size_t kLong = 512;  // bytes; to write them from elsewhere costs more than to copy fewer
constexpr std::uint16_t kComment = 1, kMostComment = std::numeric_limits<std::uint16_t>::max();
constexpr std::int64_t kSecond = 1'000'000'000;

std::size_t padded(std::size_t bytes) { return (bytes + kUnit - 1) / kUnit * kUnit; }

template <class T>
std::uint8_t* put(std::uint8_t* to, T value) {
  std::memcpy(to, &value, sizeof value);
  return to + sizeof value;
}

std::size_t size_of(const std::string& comment) { return std::min<std::size_t>(comment.size(), kMostComment); }

// With the option that ends them; without comments there are none.
std::size_t options_size(std::span<const std::string> comments) {
  std::size_t size = comments.empty() ? 0 : kUnit;
  for (const std::string& comment : comments) size += kUnit + padded(size_of(comment));
  return size;
}

std::size_t block_size(const RecordFacts& facts, std::span<const std::string> comments) {
  return kPcapngHeader + padded(facts.captured) + options_size(comments) + kUnit;
}

// The formats know no time before 1970, and pcap none behind 2106.
std::uint64_t told_time(std::int64_t time_ns) { return static_cast<std::uint64_t>(std::max<std::int64_t>(time_ns, 0)); }

void write_header(CaptureForm form, const RecordFacts& facts, std::span<const std::string> comments, std::uint8_t* to) {
  const std::uint64_t ns = told_time(facts.time_ns);
  if (form == CaptureForm::pcap) {
    const std::uint64_t seconds = std::min<std::uint64_t>(ns / kSecond, std::numeric_limits<std::uint32_t>::max());
    to = put(to, static_cast<std::uint32_t>(seconds));
    to = put(to, static_cast<std::uint32_t>(ns % kSecond));
    put(put(to, facts.captured), facts.original);
    return;
  }
  to = put(to, kEnhancedPacket);
  to = put(to, static_cast<std::uint32_t>(block_size(facts, comments)));
  to = put(to, std::uint32_t{facts.interface} - 1);
  to = put(to, static_cast<std::uint32_t>(ns >> 32));
  to = put(to, static_cast<std::uint32_t>(ns));
  put(put(to, facts.captured), facts.original);
}

}  // namespace

void PacketRecords::clear() {
  bytes_.clear();
  outside_.clear();
  in_frames_ = 0;
  kept_.clear();
  records_.clear();
  interfaces_.clear();
}

namespace {

// With room for so many bytes. The vector itself would copy them one by one, as its allocator is not the usual one.
UnwrittenVector<std::uint8_t> copy_of(const UnwrittenVector<std::uint8_t>& bytes, std::size_t room) {
  UnwrittenVector<std::uint8_t> copied;
  copied.reserve(room);
  copied.resize(bytes.size());
  if (!bytes.empty()) std::memcpy(copied.data(), bytes.data(), bytes.size());
  return copied;
}

}  // namespace

PacketRecords PacketRecords::copy() const {
  PacketRecords copied;
  copied.bytes_ = copy_of(bytes_, bytes_.size());
  copied.outside_ = outside_;
  copied.in_frames_ = in_frames_;
  copied.records_ = records_;
  copied.interfaces_ = interfaces_;
  return copied;
}

void PacketRecords::enlarge(std::size_t bytes) {
  constexpr std::size_t kFirst = 16 << 10;
  bytes_ = copy_of(bytes_, std::max({bytes_.size() + bytes, 2 * bytes_.capacity(), kFirst}));
}

void PacketRecords::add(CaptureForm form, const Frame& frame, const RecordFacts& facts, std::uint32_t place) {
  if (frame.options > 0 && form == CaptureForm::pcapng) return add_with_comments(facts, frame, place);
  const bool is_pcap = form == CaptureForm::pcap, is_long = facts.captured >= kLong;
  const std::size_t header = is_pcap ? kPcapHeader : kPcapngHeader, inside = is_long ? 0 : facts.captured;
  const std::size_t padding = is_pcap ? 0 : padded(facts.captured) - facts.captured;
  std::uint8_t* at = grow(header + inside + (is_pcap ? 0 : padding + kUnit));
  write_header(form, facts, {}, at);
  at += header;
  if (is_long) {
    outside_.push_back({static_cast<std::size_t>(at - bytes_.data()), frame.data, facts.captured, false});
    ++in_frames_;
  } else if (inside > 0) {
    std::memcpy(at, frame.data, inside);
    at += inside;
  }
  if (!is_pcap) put(std::fill_n(at, padding, std::uint8_t{0}), static_cast<std::uint32_t>(block_size(facts, {})));
  note(facts.interface, place);
}

void PacketRecords::add_with_comments(const RecordFacts& facts, const Frame& frame, std::uint32_t place) {
  std::vector<std::string> comments;
  each_comment(frame, [&comments](std::string comment) { comments.push_back(std::move(comment)); });
  begin(CaptureForm::pcapng, facts, comments);
  refer(frame.data, facts.captured, false);
  end(CaptureForm::pcapng, facts, comments, place);
}

void PacketRecords::begin(CaptureForm form, const RecordFacts& facts, std::span<const std::string> comments) {
  write_header(form, facts, comments, grow(form == CaptureForm::pcap ? kPcapHeader : kPcapngHeader));
}

void PacketRecords::add_bytes(const std::uint8_t* bytes, std::size_t size) {
  if (size > 0) std::memcpy(grow(size), bytes, size);
}

bool PacketRecords::refer(const std::uint8_t* bytes, std::size_t size, bool is_kept) {
  if (size < kLong) {
    add_bytes(bytes, size);
    return false;
  }
  outside_.push_back({bytes_.size(), bytes, static_cast<std::uint32_t>(size), is_kept});
  in_frames_ += !is_kept;
  return true;
}

void PacketRecords::take_over(ByteBlocks&& kept) { std::ranges::move(kept, std::back_inserter(kept_)); }

void PacketRecords::end(CaptureForm form, const RecordFacts& facts, std::span<const std::string> comments,
                        std::uint32_t place) {
  if (form == CaptureForm::pcapng) write_end(facts, comments);
  note(facts.interface, place);
}

// A record that is complete.
void PacketRecords::note(std::uint16_t interface, std::uint32_t place) {
  records_.push_back({place, static_cast<std::uint32_t>(outside_.size()), bytes_.size()});
  if (!interfaces_.empty() && interfaces_.back() == interface) return;
  if (std::ranges::find(interfaces_, interface) == interfaces_.end()) interfaces_.push_back(interface);
}

// Of pcapng: padding, options, and the length once more.
void PacketRecords::write_end(const RecordFacts& facts, std::span<const std::string> comments) {
  const std::size_t padding = padded(facts.captured) - facts.captured;
  const std::size_t size = padding + options_size(comments) + kUnit;
  std::uint8_t* at = grow(size);
  std::memset(at, 0, size);
  at += padding;
  for (const std::string& comment : comments) {
    const std::size_t length = size_of(comment);
    std::uint8_t* const text = put(put(at, kComment), static_cast<std::uint16_t>(length));
    std::memcpy(text, comment.data(), length);
    at = text + padded(length);
  }
  put(bytes_.data() + bytes_.size() - kUnit, static_cast<std::uint32_t>(block_size(facts, comments)));
}

void PacketRecords::keep() {
  if (in_frames_ == 0) return;
  std::size_t size = 0;
  for (const Outside& outside : outside_) size += outside.is_kept ? 0 : outside.size;
  kept_.push_back(std::make_unique_for_overwrite<std::uint8_t[]>(size));
  std::uint8_t* to = kept_.back().get();
  for (Outside& outside : outside_) {
    if (outside.is_kept) continue;
    std::memcpy(to, outside.data, outside.size);
    outside.data = to;
    outside.is_kept = true;
    to += outside.size;
  }
  in_frames_ = 0;
}

std::uint16_t PacketRecords::interface(std::size_t i) const {
  return static_cast<std::uint16_t>(load<std::uint32_t>(bytes_.data() + begin_of(i) + kInterfaceOfBlock) + 1);
}

void PacketRecords::set_interface(std::size_t i, std::uint32_t id) {
  put(bytes_.data() + begin_of(i) + kInterfaceOfBlock, id);
}

}  // namespace warpmeter::inline packet
