#include "capture/pcap_reader.h"

#include <utility>

#include "capture/chunked_pcap.h"
#include "capture/left_out.h"
#include "capture/limits.h"
#include "capture/link_name.h"
#include "capture/pcap_walk.h"
#include "warpmeter/link_type.h"
#include "warpmeter/status.h"

namespace warpmeter {

bool PcapReader::recognises(const ByteSource& source) { return source.left() >= kFileHeader && is_magic(source.at()); }

PcapReader::PcapReader(std::string name, std::unique_ptr<ByteSource> source, const CaptureOptions& options)
    : name_(std::move(name)),
      source_(std::move(source)),
      format_(PcapFormat::parse(source_->at())),
      link_(format_.link) {
  if (!is_known_link(link_)) {
    if (!options.any_link) throw Error(name_ + ": link type " + link_name(link_) + " is not supported");
    format_.link = kUnknownLink;
  } else {
    require_link(name_, link_, options);
  }
  source_->advance(kFileHeader);
}

PcapReader::PcapReader(std::string name, std::unique_ptr<ByteSource> source, const PcapFormat& format)
    : name_(std::move(name)), source_(std::move(source)), format_(format), link_(format.link) {}

std::shared_ptr<ChunkedPcap> PcapReader::in_chunks() const {
  auto file = source_->file();
  if (!file) return nullptr;
  return std::make_shared<ChunkedPcap>(name_, std::move(file), format_, source_->offset());
}

// What is cut short need not be: the source may have more.
bool PcapReader::read(FrameBlock& block, std::size_t limit) {
  source_->lend_to(&block.leases);
  const std::uint64_t until = source_->offset() + kMostBlockBytes;
  while (block.frames.size() < limit && source_->offset() < until) {
    if (!source_->need(format_.record_header)) {
      return source_->left() == 0 ? ended() : damaged(PcapFault::header_cut_short);
    }
    const std::uint64_t begin = source_->offset();
    PcapWalk records{begin};
    walk_records(format_, {source_->at(), begin, begin + source_->left(), false}, until, records, block.frames, limit);
    source_->advance(records.at - begin);
    if (records.fault == PcapFault::next_file) return next_file();
    if (records.fault == PcapFault::too_long) return damaged(records.fault, records.captured);
    if (records.fault == PcapFault::record_cut_short &&
        !source_->need(std::size_t{format_.record_header} + records.captured)) {
      return damaged(records.fault);
    }
  }
  return true;
}

CaptureFacts PcapReader::facts() const {
  CaptureFacts facts{.format = InputFormat::pcap, .modified = format_.modified(), .big_endian = format_.swapped};
  facts.compression = source_->compression();
  facts.interfaces.push_back({.link = link_,
                              .decoded = format_.link != kUnknownLink,
                              .snap_length = format_.snap_length,
                              .resolution = static_cast<std::uint8_t>(format_.ns_per_fraction == 1 ? 9 : 6)});
  return facts;
}

bool PcapReader::next_file() {
  next_file_ = true;
  return false;
}

std::unique_ptr<ByteSource> PcapReader::rest() { return next_file_ ? std::move(source_) : nullptr; }

bool PcapReader::damaged(PcapFault fault, std::uint32_t captured) {
  std::string text = fault_text(fault, captured);
  if (fault != PcapFault::too_long) text = source_->cut_text(text);
  damage_ = Damage{name_, source_->offset(), std::move(text)};
  return false;
}

bool PcapReader::ended() {
  if (std::string reason = source_->broken(); !reason.empty()) {
    damage_ = Damage{name_, source_->offset(), std::move(reason)};
  }
  return false;
}

}  // namespace warpmeter
