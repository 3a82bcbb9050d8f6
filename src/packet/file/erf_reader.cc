#include "packet/file/erf_reader.h"

#include <algorithm>
#include <utility>

#include "core/byte_order.h"
#include "core/prefetch.h"
#include "packet/file/limits.h"
#include "packet/file/resync.h"
#include "warpmeter/link_type.h"

namespace warpmeter::inline packet {
namespace {

constexpr std::size_t kHeader = 16;
constexpr std::size_t kExtension = 8;
constexpr std::uint32_t kEthernetPad = 2;
constexpr std::uint8_t kMoreHeaders = 0x80;
constexpr std::uint8_t kPadding = 48;
constexpr std::uint8_t kLastType = 32;  // none but padding has a higher number

struct Record {
  std::uint64_t time;  // in 2^-32 s
  std::uint8_t type;
  bool extended;
  std::uint16_t size, wire;

  static Record parse(const std::uint8_t* p) {
    return {load<std::uint64_t>(p), static_cast<std::uint8_t>(p[8] & ~kMoreHeaders), (p[8] & kMoreHeaders) != 0,
            load_be16(p + 10), load_be16(p + 14)};
  }
  std::int64_t time_ns() const {
    constexpr std::uint64_t kNsPerSecond = 1'000'000'000, kHalf = std::uint64_t{1} << 31;
    return static_cast<std::int64_t>((time >> 32) * kNsPerSecond +
                                     (((time & 0xffffffff) * kNsPerSecond + kHalf) >> 32));
  }
};

std::uint16_t link_of(std::uint8_t type) {
  switch (type) {
    case 2:
    case 11:
    case 16:
    case 20: return kLinkEthernet;
    case 1:
    case 10:
    case 15:
    case 19: return kLinkPppHdlc;
    case 22: return kLinkIpv4;
    case 23: return kLinkIpv6;
    default: return kUnknownLink;
  }
}

// Bytes before the packet; more than the record has if they do not fit. REQUIRES: the whole record at `p`.
std::size_t headers_of(const Record& record, const std::uint8_t* p) {
  std::size_t at = kHeader;
  for (bool more = record.extended; more && at + kExtension <= record.size; at += kExtension) {
    more = (p[at] & kMoreHeaders) != 0;
    if (more && at + 2 * kExtension > record.size) return record.size + 1u;
  }
  if (record.extended && at == kHeader) return record.size + 1u;
  return link_of(record.type) == kLinkEthernet ? at + kEthernetPad : at;
}

std::optional<RecordLook> look(const std::uint8_t* p, std::size_t left) {
  const Record record = Record::parse(p);
  if (record.size < kHeader || record.type == 0) return {};
  if (record.type == kPadding) return RecordLook{record.size, std::nullopt};
  if (record.type > kLastType || (record.size <= left && headers_of(record, p) > record.size)) return {};
  return RecordLook{record.size, record.time_ns()};
}

}  // namespace

bool ErfReader::recognises(ByteSource& source) { return begins_record_chain(source, kHeader, look); }

bool ErfReader::may_begin(ByteSource& source) { return begins_record_chain(source, kHeader, look, 0); }

bool ErfReader::fits(ByteSource& source) {
  if (!source.need(kHeader)) return false;
  const Record record = Record::parse(source.at());
  return source.need(record.size) && look(source.at(), source.left());
}

ErfReader::ErfReader(std::string name, std::unique_ptr<ByteSource> source, const CaptureOptions& options)
    : name_(std::move(name)), source_(std::move(source)), links_(name_, options), resync_(options.resync) {}

bool ErfReader::read(FrameBlock& block, std::size_t limit) {
  source_->lend_to(&block.leases);
  const std::uint64_t until = source_->offset() + kMostBlockBytes;
  while (block.frames.size() < limit && source_->offset() < until) {
    if (resync_.is_searching()) {
      resync_.search(*source_, kHeader, until, [this] { return goes_on_here(*source_, kHeader, near_.ns(), look); });
      source_->lend_to(&block.leases);
    } else if (!source_->need(kHeader) && source_->left() == 0) {
      return ended();
    } else if (!read_record(block)) {
      return false;
    }
  }
  return true;
}

bool ErfReader::read_record(FrameBlock& block) {
  if (source_->left() < kHeader) return damaged(source_->cut_text("record header cut short"));
  const Record record = Record::parse(source_->at());
  if (record.size < kHeader) return damaged("record length " + std::to_string(record.size));
  if (!source_->need(record.size)) return damaged(source_->cut_text("record cut short"));
  const std::uint8_t* p = source_->at();
  prefetch(p + 2 * std::size_t{record.size});
  if (record.type != kPadding) {
    const std::size_t headers = headers_of(record, p);
    if (headers > record.size) return damaged("record shorter than its headers");
    const std::uint16_t link = link_of(record.type);
    const auto captured = std::min<std::uint32_t>(static_cast<std::uint32_t>(record.size - headers), record.wire);
    block.frames.push_back({p + headers, record.time_ns(), captured, record.wire, link});
    count_packet(link);
    if (resync_.is_wanted()) near_.add(block.frames, block.frames.size() - 1);
  }
  source_->advance(record.size);
  return true;
}

void ErfReader::count_packet(std::uint16_t link) {
  if (link != kUnknownLink && links_.is_refused(link)) links_.leave_out(link);
  ++packets_[link];
}

CaptureFacts ErfReader::facts() const {
  CaptureFacts facts{.format = InputFormat::erf};
  for (const auto& [link, packets] : packets_) {
    facts.interfaces.push_back(
        {.link = link, .decoded = is_known_link(link), .resolution = 0x80 | 32, .packets = packets});
  }
  facts.compression = source_->compression();
  facts.counts_packets = true;
  return facts;
}

bool ErfReader::damaged(std::string reason) {
  Damage damage{name_, source_->offset(), std::move(reason)};
  if (resync_.is_wanted()) resync_.begin(*source_, std::move(damage));
  else damage_ = std::move(damage);
  return resync_.is_wanted();
}

bool ErfReader::ended() {
  if (!source_->broken().empty()) damage_ = Damage{name_, source_->offset(), source_->broken()};
  return false;
}

}  // namespace warpmeter::inline packet
