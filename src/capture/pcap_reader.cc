#include "capture/pcap_reader.h"

#include <utility>

#include "capture/link_name.h"
#include "capture/stretched_pcap.h"
#include "warpmeter/link_type.h"
#include "warpmeter/status.h"

namespace warpmeter {

bool PcapReader::recognises(const ByteSource& source) { return source.left() >= kFileHeader && is_magic(source.at()); }

PcapReader::PcapReader(std::string name, std::unique_ptr<ByteSource> source)
    : name_(std::move(name)), source_(std::move(source)), format_(PcapFormat::parse(source_->at())) {
  if (!is_known_link(format_.link)) throw Error(name_ + ": link type " + link_name(format_.link) + " is not supported");
  source_->advance(kFileHeader);
}

std::shared_ptr<StretchedPcap> PcapReader::in_stretches() const {
  auto mapping = source_->mapping();
  if (!mapping) return nullptr;
  return std::make_shared<StretchedPcap>(name_, std::move(mapping), format_, source_->offset());
}

bool PcapReader::read(FrameBlock& block, std::size_t limit) {
  source_->lend_to(&block.bytes);
  return format_.swapped ? read_records<true>(block, limit) : read_records<false>(block, limit);
}

template <bool kSwapped>
bool PcapReader::read_records(FrameBlock& block, std::size_t limit) {
  const PcapFormat format = format_;
  while (block.frames.size() < limit) {
    if (!source_->need(format.record_header)) {
      return source_->left() == 0 ? false : damaged(PcapFault::header_cut_short);
    }
    const PcapRecord record = read_pcap_record<kSwapped>(format, source_->at());
    if (record.captured > kMaxCaptured) return damaged(PcapFault::too_long, record.captured);
    const std::size_t whole = std::size_t{format.record_header} + record.captured;
    if (!source_->need(whole)) return damaged(PcapFault::record_cut_short);
    const std::uint8_t* p = source_->at();
    // The frame after next, if it is as long as this one: its header is on the way when we get there.
    __builtin_prefetch(p + 2 * whole);
    block.frames.push_back(frame_of(format, record, p));
    source_->advance(whole);
  }
  return true;
}

bool PcapReader::damaged(PcapFault fault, std::uint32_t captured) {
  damage_ = Damage{name_, source_->offset(), fault_text(fault, captured)};
  return false;
}

}  // namespace warpmeter
