#include "packet/file/hpcap_reader.h"

#include <utility>

#include "core/byte_order.h"
#include "core/prefetch.h"
#include "packet/file/limits.h"
#include "packet/file/resync.h"
#include "warpmeter/link_type.h"

namespace warpmeter::inline packet {
namespace {

constexpr std::size_t kHeader = 12;
constexpr std::uint32_t kNsPerSecond = 1'000'000'000;

struct Record {
  std::uint32_t seconds, nanoseconds;
  std::uint16_t captured, original;

  static Record parse(const std::uint8_t* p) {
    return {load<std::uint32_t>(p), load<std::uint32_t>(p + 4), load<std::uint16_t>(p + 8),
            load<std::uint16_t>(p + 10)};
  }
  bool is_padding() const { return seconds == 0 && nanoseconds == 0 && captured == original; }
  std::size_t size() const { return kHeader + captured; }
  std::int64_t time_ns() const { return std::int64_t{seconds} * kNsPerSecond + nanoseconds; }
};

std::optional<RecordLook> look(const std::uint8_t* p, std::size_t) {
  const Record record = Record::parse(p);
  if (record.is_padding()) return RecordLook{record.size(), std::nullopt};
  if (record.seconds == record.nanoseconds) return {};  // of one byte again and again
  if (record.nanoseconds >= kNsPerSecond || record.captured == 0 || record.captured > record.original) return {};
  return RecordLook{record.size(), record.time_ns()};
}

}  // namespace

bool HpcapReader::recognises(ByteSource& source) { return begins_record_chain(source, kHeader, look); }

bool HpcapReader::may_begin(ByteSource& source) { return begins_record_chain(source, kHeader, look, 0); }

bool HpcapReader::fits(ByteSource& source) {
  if (!source.need(kHeader)) return false;
  const Record record = Record::parse(source.at());
  return record.nanoseconds < kNsPerSecond && source.need(record.size());
}

HpcapReader::HpcapReader(std::string name, std::unique_ptr<ByteSource> source, bool resync)
    : name_(std::move(name)), source_(std::move(source)), resync_(resync) {}

bool HpcapReader::read(FrameBlock& block, std::size_t limit) {
  source_->lend_to(&block.leases);
  const std::uint64_t until = source_->offset() + kMostBlockBytes;
  while (block.frames.size() < limit && source_->offset() < until) {
    if (resync_.is_searching()) {
      resync_.search(*source_, kHeader, until, [this] { return goes_on_here(*source_, kHeader, near_.ns(), look); });
      source_->lend_to(&block.leases);
    } else if (!source_->need(kHeader)) {
      return ended();
    } else if (!read_record(block)) {
      return false;
    }
  }
  return true;
}

bool HpcapReader::read_record(FrameBlock& block) {
  const Record record = Record::parse(source_->at());
  if (record.nanoseconds >= kNsPerSecond) return damaged("nanoseconds " + std::to_string(record.nanoseconds));
  if (!source_->need(record.size())) return damaged(source_->cut_text("record cut short"));
  const std::uint8_t* p = source_->at();
  prefetch(p + 2 * record.size());
  if (!record.is_padding()) {
    block.frames.push_back({p + kHeader, record.time_ns(), record.captured, record.original, kLinkEthernet});
    if (resync_.is_wanted()) near_.add(block.frames, block.frames.size() - 1);
  }
  source_->advance(record.size());
  return true;
}

CaptureFacts HpcapReader::facts() const {
  CaptureFacts facts{.format = InputFormat::hpcap};
  facts.compression = source_->compression();
  facts.interfaces.push_back({.link = kLinkEthernet, .resolution = 9});
  return facts;
}

bool HpcapReader::damaged(std::string reason) {
  Damage damage{name_, source_->offset(), std::move(reason)};
  if (resync_.is_wanted()) resync_.begin(*source_, std::move(damage));
  else damage_ = std::move(damage);
  return resync_.is_wanted();
}

// Less than a header is the end.
bool HpcapReader::ended() {
  const std::uint64_t offset = source_->offset();
  if (source_->broken().empty()) source_->advance(source_->left());
  if (!source_->broken().empty()) damage_ = Damage{name_, offset, source_->broken()};
  return false;
}

}  // namespace warpmeter::inline packet
