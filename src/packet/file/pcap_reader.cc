#include "packet/file/pcap_reader.h"

#include <algorithm>
#include <utility>

#include "packet/file/capture_links.h"
#include "packet/file/chunked_pcap.h"
#include "packet/file/limits.h"
#include "packet/file/pcap_format.h"
#include "warpmeter/link_type.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {

bool PcapReader::recognises(const ByteSource& source) { return source.left() >= kFileHeader && is_magic(source.at()); }

PcapReader::PcapReader(std::string name, std::unique_ptr<ByteSource> source, const CaptureOptions& options)
    : name_(std::move(name)),
      source_(std::move(source)),
      format_(PcapFormat::parse(source_->at())),
      link_(format_.link),
      odd_fractions_(false),
      resync_(options.resync) {
  if (!is_known_link(link_)) {
    if (!options.any_link) throw Error(name_ + ": link type " + link_name(link_) + " is not supported");
    format_.link = kUnknownLink;
  } else {
    require_link(name_, link_, options);
  }
  source_->advance(kFileHeader);
}

PcapReader::PcapReader(std::string name, std::unique_ptr<ByteSource> source, const PcapFormat& format,
                       const Before& before)
    : name_(std::move(name)),
      source_(std::move(source)),
      format_(format),
      link_(format.link),
      odd_fractions_(before.odd_fraction),
      resync_(before.resync),
      near_(before.near) {}

std::shared_ptr<ChunkedPcap> PcapReader::in_chunks() const {
  auto file = source_->file();
  if (!file) return nullptr;
  return std::make_shared<ChunkedPcap>(name_, std::move(file), format_, source_->offset(), resync_.is_wanted());
}

bool PcapReader::read(FrameBlock& block, std::size_t limit) {
  source_->lend_to(&block.leases);
  const std::uint64_t until = source_->offset() + kMostBlockBytes;
  while (block.frames.size() < limit && source_->offset() < until) {
    if (resync_.is_searching()) {
      search(block, until);
      continue;
    }
    if (zeros_) {
      if (!hold_zeros(block, limit, until)) return false;
      continue;
    }
    if (!source_->need(format_.record_header)) {
      if (source_->left() == 0) return ended();
      if (!damaged(PcapFault::header_cut_short)) return false;
      continue;
    }
    const std::size_t before = block.frames.size();
    const bool more = walk(block, limit, until);
    if (resync_.is_wanted()) near_.add(block.frames, before);
    if (!more) return false;
  }
  return true;
}

// What is cut short need not be: the source may have more.
bool PcapReader::walk(FrameBlock& block, std::size_t limit, std::uint64_t until) {
  const std::uint64_t begin = source_->offset();
  PcapWalk records{.at = begin, .zeros_from = zeros_from_};
  const std::size_t before = block.frames.size();
  walk_records(format_, {source_->at(), begin, begin + source_->left(), false}, until, records, block.frames, limit);
  if (resync_.skips().places > 0) stop_at_unlikely(block, before, records);
  source_->advance(records.at - begin);
  if (records.odd_fraction != PcapWalk::kNone) {
    odd_fractions_ = true;
    if (!odd_fraction_) odd_fraction_ = records.odd_fraction;
  }
  if (records.fault == PcapFault::next_file) return next_file();
  if (records.fault == PcapFault::too_long) return damaged(records.fault, records.captured);
  if (records.fault == PcapFault::unlikely) return damaged(records.fault);
  if (records.fault == PcapFault::zeros) return met_zeros();
  if (records.fault == PcapFault::record_cut_short &&
      !source_->need(std::size_t{format_.record_header} + records.captured)) {
    return damaged(records.fault);
  }
  return true;
}

// Behind damage a chain of records may begin at a wrong place and go on by chance: a record whose lengths are none ends
// it, and so do zeros.
void PcapReader::stop_at_unlikely(FrameBlock& block, std::size_t before, PcapWalk& records) const {
  const auto new_frames = block.frames.begin() + static_cast<std::ptrdiff_t>(before);
  const auto unlikely = std::find_if_not(new_frames, block.frames.end(), has_likely_length);
  if (unlikely != block.frames.end()) {
    records.at = source_->offset() + static_cast<std::uint64_t>(unlikely->data - source_->at()) - format_.record_header;
    block.frames.erase(unlikely, block.frames.end());
    // What lies behind was walked through only as far as the source happened to show it.
    if (records.odd_fraction >= records.at) records.odd_fraction = PcapWalk::kNone;
  } else if (records.fault != PcapFault::zeros) {
    return;
  }
  records.fault = PcapFault::unlikely;
}

bool PcapReader::met_zeros() {
  const auto file = source_->file();
  if (!file) {
    zeros_.emplace(Zeros{.begin = source_->offset()});
    return true;
  }
  zeros_from_ = file->zeros_from();
  return source_->offset() < zeros_from_ || damaged(PcapFault::zeros);
}

// Only their number is kept until something else comes, or the end.
bool PcapReader::hold_zeros(FrameBlock& block, std::size_t limit, std::uint64_t until) {
  const std::size_t header = format_.record_header;
  while (!zeros_->are_packets) {
    if (source_->offset() >= until) return true;
    if (source_->need(header)) {
      zeros_->are_packets = !is_zero_header(format_, source_->at());
    } else {
      const std::uint8_t* const rest = source_->at();
      zeros_->are_packets = std::any_of(rest, rest + source_->left(), [](std::uint8_t byte) { return byte != 0; });
      if (!zeros_->are_packets) return damaged(PcapFault::zeros);
    }
    if (zeros_->are_packets) break;
    source_->advance(header);
    ++zeros_->count;
  }
  for (; zeros_->count > 0 && block.frames.size() < limit; --zeros_->count) {
    block.frames.push_back({source_->at(), 0, 0, 0, format_.link});
  }
  if (zeros_->count == 0) zeros_.reset();
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
  if (fault != PcapFault::too_long && fault != PcapFault::unlikely) text = source_->cut_text(text);
  Damage damage{name_, zeros_ ? zeros_->begin : source_->offset(), std::move(text)};
  zeros_.reset();
  if (!resync_.is_wanted()) {
    damage_ = std::move(damage);
    return false;
  }
  resync_.begin(*source_, std::move(damage));
  if (fault == PcapFault::zeros) resync_.skip_all(*source_);
  return true;
}

// Nearly everywhere the first numbers tell that no record begins.
void PcapReader::search(FrameBlock& block, std::uint64_t until) {
  format_.swapped ? search_in<true>(until) : search_in<false>(until);
  source_->lend_to(&block.leases);
}

template <bool kSwapped>
void PcapReader::search_in(std::uint64_t until) {
  const auto look = [this](const std::uint8_t* p, std::size_t) -> std::optional<RecordLook> {
    const PcapRecord record = read_pcap_record<kSwapped>(format_, p);
    const bool sane = record.captured - 1 < record.original && record.original <= kMaxCaptured &&
                      (odd_fractions_ || !record.has_odd_fraction(format_));
    if (!sane) return std::nullopt;
    return RecordLook{std::size_t{format_.record_header} + record.captured, record.time_ns(format_)};
  };
  resync_.search(*source_, format_.record_header, until, [&] {
    return goes_on_here(*source_, format_.record_header, near_.ns(), look) || begins_next_file(source_->at());
  });
}

bool PcapReader::ended() {
  if (std::string reason = source_->broken(); !reason.empty()) {
    damage_ = Damage{name_, source_->offset(), std::move(reason)};
  }
  return false;
}

}  // namespace warpmeter::inline packet
