#include "packet/file/pcapng_reader.h"

#include <algorithm>
#include <utility>

#include "core/byte_order.h"
#include "core/prefetch.h"
#include "packet/file/capture_links.h"
#include "packet/file/limits.h"
#include "packet/file/pcap_format.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {
namespace {

constexpr std::uint32_t kSectionHeader = 0x0a0d0d0a;  // the same in both byte orders
constexpr std::uint32_t kByteOrder = 0x1a2b3c4d;
constexpr std::uint32_t kInterfaceDescription = 1;
constexpr std::uint32_t kObsoletePacket = 2;
constexpr std::uint32_t kSimplePacket = 3;
constexpr std::uint32_t kEnhancedPacket = 6;
constexpr std::size_t kSmallestBlock = 12;
constexpr std::size_t kSmallestSection = 28;
constexpr std::size_t kPacketFields = 20;
constexpr std::uint32_t kLongBlock = 4 << 20;  // has room for every packet that is no damage
constexpr std::size_t kMostInterfacesNoted = 256;
constexpr std::size_t kMostLinksNamed = 8;

bool is_byte_order_magic(const std::uint8_t* p) {
  const auto magic = load<std::uint32_t>(p);
  return magic == kByteOrder || magic == byte_swap(kByteOrder);
}

}  // namespace

// What lies between a block's header and its trailing length.
struct PcapngReader::Body {
  const std::uint8_t* data;
  std::size_t size;
};

bool PcapngReader::is_magic(const std::uint8_t* first4) { return load<std::uint32_t>(first4) == kSectionHeader; }

bool PcapngReader::recognises(const ByteSource& source) {
  return source.left() >= kSmallestBlock && is_magic(source.at()) && is_byte_order_magic(source.at() + 8);
}

PcapngReader::PcapngReader(std::string name, std::unique_ptr<ByteSource> source, const CaptureOptions& options)
    : name_(std::move(name)),
      source_(std::move(source)),
      any_link_(options.any_link),
      numbered_(options.interfaces),
      links_(name_, options),
      resync_(options.resync) {
  facts_.format = InputFormat::pcapng;
  facts_.sections = 0;
  facts_.counts_packets = true;
}

std::uint16_t PcapngReader::u16(const std::uint8_t* p) const {
  const auto value = load<std::uint16_t>(p);
  return swapped_ ? byte_swap(value) : value;
}

std::uint32_t PcapngReader::u32(const std::uint8_t* p) const {
  const auto value = load<std::uint32_t>(p);
  return swapped_ ? byte_swap(value) : value;
}

// The block is not read; none of it has been passed over.
bool PcapngReader::damaged(std::string reason) {
  Damage damage{name_, block_at_, std::move(reason)};
  if (!resync_.is_wanted()) {
    damage_ = std::move(damage);
    return false;
  }
  resync_.begin(*source_, std::move(damage));
  return true;
}

bool PcapngReader::read(FrameBlock& block, std::size_t limit) {
  source_->lend_to(&block.leases);
  const std::uint64_t until = source_->offset() + kMostBlockBytes;
  while (block.frames.size() < limit && source_->offset() < until) {
    if (resync_.is_searching()) {
      resync_.search(*source_, kSmallestBlock, until, [this] { return goes_on_here(); });
      source_->lend_to(&block.leases);
    } else if (!source_->need(kSmallestBlock)) {
      block_at_ = source_->offset();
      if (source_->left() == 0) return ended();
      if (!damaged(source_->cut_text("block header cut short"))) return false;
    } else if (!read_block(block)) {
      return false;
    }
  }
  return true;
}

bool PcapngReader::ended() {
  require_known_link();
  if (!source_->broken().empty()) damage_ = Damage{name_, block_at_, source_->broken()};
  return false;
}

// Behind damage: a block whose lengths agree and that can be read, or another file. Of what programs write none is
// longer than kLongBlock that is worth waiting for, and none has no body.
bool PcapngReader::goes_on_here() {
  const std::uint8_t* p = source_->at();
  const bool section = is_magic(p);
  if (section && !is_byte_order_magic(p + 8)) return false;
  const bool swapped = section ? load<std::uint32_t>(p + 8) != kByteOrder : swapped_;
  const auto number = [swapped](const std::uint8_t* at) {
    const auto value = load<std::uint32_t>(at);
    return swapped ? byte_swap(value) : value;
  };
  const std::uint32_t type = number(p), length = number(p + 4);
  if (length <= kSmallestBlock || length % 4 != 0 || length > kLongBlock || !source_->need(length)) {
    return source_->need(kHeaderLook) && begins_next_file(source_->at());
  }
  p = source_->at();
  return number(p + length - 4) == length && (section || is_readable(type, {p + 8, length - kSmallestBlock}));
}

bool PcapngReader::is_readable(std::uint32_t type, const Body& body) const {
  const auto has_captured = [&](std::uint32_t interface) {
    const std::uint32_t captured = u32(body.data + 12);
    return is_known(interface) && captured <= kMaxCaptured && kPacketFields + captured <= body.size;
  };
  switch (type) {
    case 0: return false;
    case kInterfaceDescription: return body.size >= 8 && interfaces_.size() < kMaxInterfaces;
    case kEnhancedPacket: return body.size >= kPacketFields && has_captured(u32(body.data));
    case kObsoletePacket: return body.size >= kPacketFields && has_captured(u16(body.data));
    case kSimplePacket: return is_known(0) && body.size <= kMaxCaptured;
    default: return true;
  }
}

bool PcapngReader::read_block(FrameBlock& block) {
  block_at_ = source_->offset();
  const bool section = is_magic(source_->at());
  if (section && !start_section()) return resync_.is_searching();
  const std::uint32_t type = u32(source_->at());
  const std::uint32_t length = u32(source_->at() + 4);
  if (type > kSectionHeader && source_->need(kHeaderLook) && begins_next_file(source_->at())) {
    next_file_ = true;
    return false;
  }
  const bool is_interface = type == kInterfaceDescription;
  if (length < kSmallestBlock || length % 4 != 0 || length > kMaxBlock) {
    return lost(is_interface, "block length " + std::to_string(length));
  }
  // Who may have to go on in the middle of it holds all of it.
  if (length > kLongBlock && !resync_.is_wanted()) return read_long_block(type, length, block);
  if (!source_->need(length)) return cut_short(length);
  const std::uint8_t* p = source_->at();
  if (u32(p + length - 4) != length) return lost(is_interface, "block lengths differ");
  prefetch(p + 2 * std::size_t{length});
  if (!read_body(type, {p + 8, length - kSmallestBlock}, block)) return false;
  if (!resync_.is_searching()) source_->advance(length);
  return true;
}

// An interface whose description is damaged keeps its number, so that the others keep theirs.
bool PcapngReader::lost(bool is_interface, std::string reason) {
  if (!damaged(std::move(reason))) return false;
  if (!is_interface || interfaces_.size() == kMaxInterfaces) return true;
  interfaces_.push_back({.lost = true});
  noted_as_.push_back(kMostInterfacesNoted);
  return true;
}

bool PcapngReader::read_body(std::uint32_t type, const Body& body, FrameBlock& block) {
  switch (type) {
    case kInterfaceDescription: return add_interface(body);
    case kEnhancedPacket: return enhanced_packet(body, block);
    case kObsoletePacket: return obsolete_packet(body, block);
    case kSimplePacket: return simple_packet(body, block);
    default: return true;
  }
}

// Longer than any packet: only what may matter of it is held, so that memory does not follow what lengths claim. What
// it says counts once its end was seen.
bool PcapngReader::read_long_block(std::uint32_t type, std::uint32_t length, FrameBlock& block) {
  if (!source_->need(kLongBlock)) return cut_short(length);
  const std::size_t frames = block.frames.size();
  const CaptureFacts facts = facts_;
  // Options of an interface that lie behind megabytes of others are not looked for.
  const std::size_t size = type == kInterfaceDescription ? kLongBlock - 8 : length - kSmallestBlock;
  if (!read_body(type, {source_->at() + 8, size}, block)) return false;
  const bool whole = source_->skip(length - 4) && source_->need(4);
  const bool same = whole && u32(source_->at()) == length;
  if (same) source_->advance(4);
  source_->lend_to(&block.leases);
  if (same) return true;
  block.frames.resize(frames);
  facts_ = facts;
  return whole ? damaged("block lengths differ") : cut_short(length);
}

bool PcapngReader::cut_short(std::uint32_t length) {
  const bool goes_on = resync_.is_wanted() && source_->left() >= kSmallestSection;
  if (block_at_ == 0 && !goes_on) throw Error(name_ + ": " + source_->cut_text("file header cut short"));
  return damaged(source_->cut_text("block length " + std::to_string(length)));
}

std::unique_ptr<ByteSource> PcapngReader::rest() { return next_file_ ? std::move(source_) : nullptr; }

// A section brings its own byte order and forgets the interfaces of the one before.
bool PcapngReader::start_section() {
  const std::uint8_t* magic = source_->at() + 8;
  if (!is_byte_order_magic(magic)) {
    damaged("bad byte-order magic");
    return false;
  }
  swapped_ = load<std::uint32_t>(magic) != kByteOrder;
  interfaces_.clear();
  noted_as_.clear();
  if (numbered_) section_.emplace(*numbered_);
  facts_.big_endian = swapped_;
  ++facts_.sections;
  return true;
}

bool PcapngReader::add_interface(const Body& body) {
  if (body.size < 8) return damaged("short interface block");
  if (interfaces_.size() == kMaxInterfaces) {
    return damaged("more than " + std::to_string(kMaxInterfaces) + " interfaces");
  }
  interfaces_.push_back(PcapngInterface::parse(body.data, body.size, swapped_));
  PcapngInterface& added = interfaces_.back();
  note(added);
  if (section_ && added.number == 0) {
    added = {.lost = true};
    return damaged("more than " + std::to_string(kMostNumberedInterfaces) + " interfaces, in all inputs");
  }
  added.refused = added.decoded_link != kUnknownLink && links_.is_refused(added.link);
  if (added.decoded_link != kUnknownLink) {
    known_link_met_ = true;
  } else if (links_met_.size() <= kMostLinksNamed &&
             std::find(links_met_.begin(), links_met_.end(), added.link) == links_met_.end()) {
    links_met_.push_back(added.link);
  }
  return true;
}

// Interfaces of later sections that look like known ones are those, as in files put together from many.
void PcapngReader::note(PcapngInterface& interface) {
  std::vector<InterfaceFacts>& known = facts_.interfaces;
  const InterfaceFacts facts{.name = interface.name,
                             .description = interface.description,
                             .link = interface.link,
                             .decoded = interface.decoded_link != kUnknownLink,
                             .snap_length = interface.snap_length,
                             .resolution = interface.resolution};
  if (section_) interface.number = section_->next(facts);
  const bool first_section = facts_.sections == 1;
  const auto same = [&](const InterfaceFacts& other) { return facts.same_as(other); };
  const auto found = first_section ? known.end() : std::find_if(known.begin(), known.end(), same);
  noted_as_.push_back(static_cast<std::size_t>(found - known.begin()));
  if (found != known.end()) return;
  if (known.size() < kMostInterfacesNoted) known.push_back(facts);
  else ++facts_.more_interfaces;
}

CaptureFacts PcapngReader::facts() const {
  CaptureFacts facts = facts_;
  facts.compression = source_->compression();
  return facts;
}

void PcapngReader::count_packet(std::size_t interface) {
  const std::size_t place = noted_as_[interface];
  if (place < facts_.interfaces.size()) ++facts_.interfaces[place].packets;
}

bool PcapngReader::enhanced_packet(const Body& body, FrameBlock& block) {
  if (body.size < kPacketFields) return damaged("short packet block");
  return packet(body, u32(body.data), u32(body.data + 4), u32(body.data + 8), block);
}

bool PcapngReader::obsolete_packet(const Body& body, FrameBlock& block) {
  if (body.size < kPacketFields) return damaged("short packet block");
  return packet(body, u16(body.data), u32(body.data + 4), u32(body.data + 8), block);
}

bool PcapngReader::packet(const Body& body, std::uint32_t interface, std::uint32_t high, std::uint32_t low,
                          FrameBlock& block) {
  if (!is_known(interface)) return damaged("unknown interface " + std::to_string(interface));
  const std::uint32_t captured = u32(body.data + 12);
  if (captured > kMaxCaptured || kPacketFields + captured > body.size) {
    return damaged("captured length " + std::to_string(captured));
  }
  const PcapngInterface& from = interfaces_[interface];
  if (from.refused) links_.leave_out(from.link);
  count_packet(interface);
  last_time_ns_ = from.time_ns(std::uint64_t{high} << 32 | low, &clamped_times_);
  block.frames.push_back({body.data + kPacketFields, last_time_ns_, captured, u32(body.data + 16), from.decoded_link,
                          false, from.number, from.number ? options_behind(captured, body) : std::uint16_t{0}});
  return true;
}

// None of a long block, whose end is not held.
std::uint16_t PcapngReader::options_behind(std::uint32_t captured, const Body& body) const {
  const std::size_t words = (body.size - kPacketFields) / 4 - (captured + 3u) / 4;
  if (words == 0 || body.size > kLongBlock - kSmallestBlock) return 0;
  return static_cast<std::uint16_t>(std::min<std::size_t>(words, kManyOptions) | (swapped_ ? kSwappedOptions : 0));
}

// A simple packet has neither time nor interface: that of the packet before it, the section's first.
bool PcapngReader::simple_packet(const Body& body, FrameBlock& block) {
  if (!is_known(0)) return damaged("simple packet without interface");
  if (body.size < 4) return damaged("short packet block");
  const PcapngInterface& from = interfaces_.front();
  const std::uint32_t original = u32(body.data);
  std::size_t captured = std::min<std::size_t>(original, body.size - 4);
  if (from.snap_length) captured = std::min<std::size_t>(captured, from.snap_length);
  if (captured > kMaxCaptured) return damaged("captured length " + std::to_string(captured));
  if (from.refused) links_.leave_out(from.link);
  count_packet(0);
  block.frames.push_back({body.data + 4, last_time_ns_, static_cast<std::uint32_t>(captured), original,
                          from.decoded_link, false, from.number});
  return true;
}

void PcapngReader::require_known_link() const {
  if (any_link_ || known_link_met_ || links_met_.empty()) return;
  std::string links;
  for (std::size_t i = 0; i < std::min(links_met_.size(), kMostLinksNamed); ++i) {
    links += (links.empty() ? "" : ", ") + link_name(links_met_[i]);
  }
  if (links_met_.size() > kMostLinksNamed) links += " and others";
  throw Error(name_ + ": no interface with a supported link type, only " + links);
}

}  // namespace warpmeter::inline packet
