#include "packet/write/packet_records.h"

#include <cstring>
#include <limits>

#include "core/byte_order.h"
#include "packet/file/packet_comments.h"

namespace warpmeter::inline packet {
namespace {

constexpr std::uint32_t kEnhancedPacket = 6;
constexpr std::size_t kUnit = 4, kPcapHeader = 16, kPcapngHeader = 28;
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

}  // namespace

std::size_t write_record_header(CaptureForm form, const RecordFacts& facts, std::span<const std::string> comments,
                                std::uint8_t* to) {
  const std::uint64_t ns = told_time(facts.time_ns);
  if (form == CaptureForm::pcap) {
    const std::uint64_t seconds = std::min<std::uint64_t>(ns / kSecond, std::numeric_limits<std::uint32_t>::max());
    to = put(to, static_cast<std::uint32_t>(seconds));
    to = put(to, static_cast<std::uint32_t>(ns % kSecond));
    put(put(to, facts.captured), facts.original);
    return kPcapHeader;
  }
  to = put(to, kEnhancedPacket);
  to = put(to, static_cast<std::uint32_t>(block_size(facts, comments)));
  to = put(to, std::uint32_t{facts.interface} - 1);
  to = put(to, static_cast<std::uint32_t>(ns >> 32));
  to = put(to, static_cast<std::uint32_t>(ns));
  put(put(to, facts.captured), facts.original);
  return kPcapngHeader;
}

void append_record_end(CaptureForm form, const RecordFacts& facts, std::span<const std::string> comments,
                       UnwrittenVector<std::uint8_t>& to) {
  if (form == CaptureForm::pcap) return;
  const std::size_t padding = padded(facts.captured) - facts.captured, begin = to.size();
  to.resize(begin + padding + options_size(comments) + kUnit);
  std::uint8_t* at = to.data() + begin;
  std::memset(at, 0, to.size() - begin);
  at += padding;
  for (const std::string& comment : comments) {
    const std::size_t size = size_of(comment);
    std::uint8_t* const text = put(put(at, kComment), static_cast<std::uint16_t>(size));
    std::memcpy(text, comment.data(), size);
    at = text + padded(size);
  }
  put(to.data() + to.size() - kUnit, static_cast<std::uint32_t>(block_size(facts, comments)));
}

void PacketRecords::add(CaptureForm form, const Frame& frame, std::uint16_t interface, std::uint32_t place) {
  std::vector<std::string> comments;
  if (frame.options > 0 && form == CaptureForm::pcapng) {
    each_comment(frame, [&comments](std::string comment) { comments.push_back(std::move(comment)); });
  }
  const RecordFacts facts{frame.time_ns, frame.captured, frame.original, interface};
  const std::size_t begin = bytes_.size();
  bytes_.resize(begin + kMostRecordHeader + frame.captured);
  const std::size_t header = write_record_header(form, facts, comments, bytes_.data() + begin);
  std::memcpy(bytes_.data() + begin + header, frame.data, frame.captured);
  bytes_.resize(begin + header + frame.captured);
  append_record_end(form, facts, comments, bytes_);
  records_.push_back({place, bytes_.size()});
  if (!interfaces_.empty() && interfaces_.back() == interface) return;
  if (std::ranges::find(interfaces_, interface) == interfaces_.end()) interfaces_.push_back(interface);
}

}  // namespace warpmeter::inline packet
