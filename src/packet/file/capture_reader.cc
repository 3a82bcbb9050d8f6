#include "packet/file/capture_reader.h"

#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "packet/file/byte_source.h"
#include "packet/file/capture_links.h"
#include "packet/file/erf_reader.h"
#include "packet/file/hpcap_reader.h"
#include "packet/file/pcap_reader.h"
#include "packet/file/pcapng_reader.h"
#include "packet/file/unpacked_source.h"
#include "packet/file/unpacker.h"
#include "warpmeter/link_type.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {
namespace {

// The format of what begins here; automatic: none. Those with a magic number go first. What looks like nothing is
// believed with less proof to be what is wanted.
InputFormat format_of(ByteSource& source, InputFormat wanted) {
  if (PcapngReader::recognises(source)) return InputFormat::pcapng;
  if (PcapReader::recognises(source)) return InputFormat::pcap;
  if (ErfReader::recognises(source)) return InputFormat::erf;
  if (HpcapReader::recognises(source)) return InputFormat::hpcap;
  const bool fits = wanted == InputFormat::erf     ? ErfReader::fits(source)
                    : wanted == InputFormat::hpcap ? HpcapReader::fits(source)
                                                   : false;
  return fits ? wanted : InputFormat::automatic;
}

bool serves(InputFormat found, InputFormat wanted) {
  return found != InputFormat::automatic && (wanted == InputFormat::automatic || wanted == found);
}

const char* name_of(InputFormat format) {
  switch (format) {
    case InputFormat::automatic: return "a pcap, pcapng, HP-CAP or ERF file";
    case InputFormat::pcap: return "a pcap file";
    case InputFormat::pcapng: return "a pcapng file";
    case InputFormat::hpcap: return "an HP-CAP file";
    case InputFormat::erf: return "an ERF file";
  }
  return "";
}

// The beginning of a header, and nothing behind it.
bool is_header_cut_short(const ByteSource& source) {
  if (source.left() < 4 || source.left() >= PcapReader::kFileHeader) return false;
  return PcapReader::is_magic(source.at()) || (PcapngReader::is_magic(source.at()) && source.left() < 12);
}

// What `extract` writes: CSV, JSON lines, Parquet, or messages of IPFIX.
bool are_flow_records(const ByteSource& source) {
  static constexpr std::string_view kBeginnings[] = {"src_addr,", "{\"src_addr\"", "PAR1", {"\0\x0a", 2}};
  const std::string_view text(reinterpret_cast<const char*>(source.at()), source.left());
  return std::any_of(std::begin(kBeginnings), std::end(kBeginnings), [&](auto b) { return text.starts_with(b); });
}

// What it is, to the program that has written it.
const char* what_it_is(const ByteSource& source) {
  if (are_flow_records(source)) return " (Flow Records are read by warpmeter show)";
  if (is_segment_start({reinterpret_cast<const char*>(source.at()), source.left()})) {
    return " (segments are read by warpmeter extract, and from files only)";
  }
  return "";
}

// What the first records may be of the formats without a magic number, where they prove too little to be believed.
const char* what_it_may_be(ByteSource& source) {
  if (ErfReader::may_begin(source)) return " (it may be ERF: --input-format erf)";
  if (HpcapReader::may_begin(source)) return " (it may be of HP-CAP: --input-format hpcap)";
  return "";
}

// Only one layer of compression is unpacked.
std::string not_a_capture(ByteSource& source, InputFormat wanted) {
  if (!source.broken().empty()) return source.broken();
  if (is_header_cut_short(source)) return "file header cut short";
  const Compression inside = compression_of(source);
  const std::string text = std::string("not ") + name_of(wanted);
  if (inside != Compression::none) return text + " (unpacked, it is " + name_of(inside) + "-compressed)";
  const std::string known = what_it_is(source);
  return text + (known.empty() ? what_it_may_be(source) : known);
}

}  // namespace

std::string name_of_input(const std::string& path) { return path == "-" ? "standard input" : path; }

std::unique_ptr<CaptureReader> open_capture(const std::string& path, const std::atomic<bool>& stop,
                                            const CaptureOptions& options) {
  const std::string name = name_of_input(path);
  auto source = unpacked(open_byte_source(path, stop), name);
  source->need(PcapReader::kFileHeader);
  if (source->left() == 0 && source->broken().empty()) throw Error(name + ": the file is empty");
  return std::make_unique<ChainedReader>(name, read_capture(name, std::move(source), options), options);
}

std::unique_ptr<CaptureReader> read_capture(const std::string& name, std::unique_ptr<ByteSource> source,
                                            const CaptureOptions& options) {
  source->need(PcapReader::kFileHeader);
  const InputFormat found = format_of(*source, options.format);
  if (!serves(found, options.format)) throw Error(name + ": " + not_a_capture(*source, options.format));
  if (found == InputFormat::hpcap) require_link(name, kLinkEthernet, options);
  switch (found) {
    case InputFormat::pcapng: return std::make_unique<PcapngReader>(name, std::move(source), options);
    case InputFormat::erf: return std::make_unique<ErfReader>(name, std::move(source), options);
    case InputFormat::hpcap: return std::make_unique<HpcapReader>(name, std::move(source), options.resync);
    default: return std::make_unique<PcapReader>(name, std::move(source), options);
  }
}

bool looks_like_capture(const std::string& path, InputFormat format) {
  const std::atomic<bool> never = false;
  auto source = open_byte_source(path, never);
  if (!source->need(1)) return true;
  const Compression compression = compression_of(*source);
  if (compression != Compression::none && !can_unpack(compression)) return true;
  source = unpacked(std::move(source), path);
  if (!source->need(PcapReader::kFileHeader) && !source->broken().empty()) return true;
  // A magic number will do: that the rest of the header is missing, opening it tells.
  if (source->left() >= 4 && PcapReader::is_magic(source->at())) return serves(InputFormat::pcap, format);
  if (source->left() >= 4 && PcapngReader::is_magic(source->at())) return serves(InputFormat::pcapng, format);
  return serves(format_of(*source, format), format);
}

std::string packets_in(const std::string& path) {
  try {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0) return {};
    const std::atomic<bool> never = false;
    const std::unique_ptr<ByteSource> source = unpacked(open_byte_source(path, never), path);
    source->need(PcapReader::kFileHeader);
    if (is_segment_start({reinterpret_cast<const char*>(source->at()), source->left()})) return "a segment file";
    const bool magic =
        source->left() >= 4 && (PcapReader::is_magic(source->at()) || PcapngReader::is_magic(source->at()));
    return magic || format_of(*source, InputFormat::automatic) != InputFormat::automatic ? "a capture" : "";
  } catch (const Error&) {
    return {};
  }
}

bool ChainedReader::read(FrameBlock& block, std::size_t limit) {
  while (current_ && !read_current(block, limit)) {
    if (current_->damage()) damage_ = current_->damage();
    if (damage_ || !begin_next()) return false;
  }
  return current_ != nullptr;
}

// What makes a file unreadable ends it behind a capture that was read.
bool ChainedReader::read_current(FrameBlock& block, std::size_t limit) {
  try {
    return current_->read(block, limit);
  } catch (const ReadError&) {
    throw;
  } catch (const Error& error) {
    if (begin_ == 0) throw;
    stop_at(error);
    return false;
  }
}

void ChainedReader::stop_at(const Error& error) {
  std::string reason = error.what();
  if (reason.starts_with(name_ + ": ")) reason.erase(0, name_.size() + 2);
  damage_ = Damage{name_, begin_, "another capture begins here: " + reason};
}

// Of all captures, as if they were one.
std::vector<Damage> ChainedReader::skipped() const {
  std::vector<Damage> all = skipped_;
  if (!current_) return all;
  for (Damage& damage : current_->skipped()) {
    if (all.size() < Skips::kMostTold) all.push_back(std::move(damage));
  }
  return all;
}

Skips ChainedReader::skips() const {
  Skips all = skips_;
  if (current_) all.add(current_->skips());
  all.untold = all.places - skipped().size();
  return all;
}

bool ChainedReader::begin_next() {
  facts_ = current_->facts();
  offset_ = current_->offset();
  size_ = current_->size();
  std::unique_ptr<ByteSource> rest = current_->rest();
  if (!rest) return false;
  clamped_times_ += current_->clamped_times();
  skipped_ = skipped();
  skips_ = skips();
  odd_fraction_ = odd_fraction();
  current_.reset();
  begin_ = rest->offset();
  try {
    current_ = read_capture(name_, std::move(rest), options_);
  } catch (const ReadError&) {
    throw;
  } catch (const Error& error) {
    stop_at(error);
  }
  return current_ != nullptr;
}

}  // namespace warpmeter::inline packet
