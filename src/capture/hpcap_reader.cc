#include "capture/hpcap_reader.h"

#include <utility>

#include "capture/limits.h"
#include "capture/record_chain.h"
#include "core/byte_order.h"
#include "core/prefetch.h"
#include "warpmeter/link_type.h"

namespace warpmeter {
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
};

std::optional<RecordLook> look(const std::uint8_t* p, std::size_t) {
  const Record record = Record::parse(p);
  if (record.is_padding()) return RecordLook{record.size(), std::nullopt};
  if (record.seconds == record.nanoseconds) return {};  // of one byte again and again
  if (record.nanoseconds >= kNsPerSecond || record.captured == 0 || record.captured > record.original) return {};
  return RecordLook{record.size(), record.seconds};
}

}  // namespace

bool HpcapReader::recognises(ByteSource& source) { return begins_record_chain(source, kHeader, look); }

bool HpcapReader::fits(ByteSource& source) {
  if (!source.need(kHeader)) return false;
  const Record record = Record::parse(source.at());
  return record.nanoseconds < kNsPerSecond && source.need(record.size());
}

HpcapReader::HpcapReader(std::string name, std::unique_ptr<ByteSource> source)
    : name_(std::move(name)), source_(std::move(source)) {}

bool HpcapReader::read(FrameBlock& block, std::size_t limit) {
  source_->lend_to(&block.leases);
  const std::uint64_t until = source_->offset() + kMostBlockBytes;
  while (block.frames.size() < limit && source_->offset() < until) {
    if (!source_->need(kHeader)) {
      if (!source_->broken().empty()) return damaged(source_->broken());
      source_->advance(source_->left());
      return source_->broken().empty() ? false : damaged(source_->broken());
    }
    const Record record = Record::parse(source_->at());
    if (record.nanoseconds >= kNsPerSecond) return damaged("nanoseconds " + std::to_string(record.nanoseconds));
    if (!source_->need(record.size())) return damaged(source_->cut_text("record cut short"));
    const std::uint8_t* p = source_->at();
    prefetch(p + 2 * record.size());
    if (!record.is_padding()) {
      const std::int64_t time_ns = std::int64_t{record.seconds} * kNsPerSecond + record.nanoseconds;
      block.frames.push_back({p + kHeader, time_ns, record.captured, record.original, kLinkEthernet});
    }
    source_->advance(record.size());
  }
  return true;
}

CaptureFacts HpcapReader::facts() const {
  CaptureFacts facts{.format = InputFormat::hpcap};
  facts.compression = source_->compression();
  facts.interfaces.push_back({.link = kLinkEthernet, .resolution = 9});
  return facts;
}

bool HpcapReader::damaged(std::string reason) {
  damage_ = Damage{name_, source_->offset(), std::move(reason)};
  return false;
}

}  // namespace warpmeter
