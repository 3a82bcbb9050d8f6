#include "packet/write/capture_writer.h"

#include <algorithm>
#include <string_view>

#include "packet/file/capture_links.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {
namespace {

constexpr std::uint32_t kPcapNanoseconds = 0xa1b23c4d, kSectionHeader = 0x0a0d0d0a, kByteOrder = 0x1a2b3c4d;
constexpr std::uint32_t kInterfaceDescription = 1;
constexpr std::uint16_t kEndOfOptions = 0, kName = 2, kDescription = 3, kResolution = 9;
constexpr std::uint8_t kNanoseconds = 9;        // if_tsresol: 10^-9 s
constexpr std::uint32_t kSnapLength = 262'144;  // as of most captures; longer than any that was joined
constexpr std::size_t kWord = 4;

}  // namespace

// Fields in the order of this machine, one behind the other.
class CaptureWriter::Fields {
 public:
  template <class T>
  Fields& add(T value) {
    return add_bytes(&value, sizeof value);
  }
  Fields& option(std::uint16_t code, std::string_view value) {
    add(code).add(static_cast<std::uint16_t>(value.size())).add_bytes(value.data(), value.size());
    bytes_.resize((bytes_.size() + kWord - 1) / kWord * kWord);
    return *this;
  }
  // These as the body of a block.
  Fields block(std::uint32_t type) const {
    const auto length = static_cast<std::uint32_t>(bytes_.size() + 3 * kWord);
    Fields whole;
    whole.add(type).add(length).add_bytes(bytes_.data(), bytes_.size()).add(length);
    return whole;
  }
  const char* data() const { return bytes_.data(); }
  std::size_t size() const { return bytes_.size(); }

 private:
  Fields& add_bytes(const void* bytes, std::size_t size) {
    bytes_.append(static_cast<const char*>(bytes), size);
    return *this;
  }
  std::string bytes_;
};

void CaptureWriter::begin_file() {
  begun_ = true;
  if (form_ == CaptureForm::pcap) return;
  constexpr std::uint64_t kUnknownLength = ~std::uint64_t{0};
  const Fields section =
      Fields().add(kByteOrder).add(std::uint16_t{1}).add(std::uint16_t{0}).add(kUnknownLength).block(kSectionHeader);
  put(section);
}

void CaptureWriter::begin_pcap(std::uint16_t link) {
  link_ = link;
  Fields header;
  header.add(kPcapNanoseconds).add(std::uint16_t{2}).add(std::uint16_t{4}).add(std::uint64_t{0});
  header.add(kSnapLength).add(std::uint32_t{link});
  put(header);
}

// In the file; what has to be told before its first packet is.
std::uint32_t CaptureWriter::id_of(std::uint16_t interface) {
  if (interface >= ids_.size()) ids_.resize(interface + std::size_t{1}, kNotWritten);
  if (ids_[interface] == kNotWritten) {
    if (!begun_) begin_file();
    if (form_ == CaptureForm::pcap) check_link(interfaces_.at(interface).link);
    else write_interface(interfaces_.at(interface));
    ids_[interface] = form_ == CaptureForm::pcap ? 0 : next_id_++;
  }
  return ids_[interface];
}

void CaptureWriter::check_link(std::uint16_t link) {
  if (!link_) begin_pcap(link);
  if (*link_ == link) return;
  throw Error(name_ + ": the inputs have packets of link types " + link_name(*link_) + " and " + link_name(link) +
              ": a pcap file has one, a .pcapng file may have several");
}

void CaptureWriter::write_interface(const InterfaceFacts& facts) {
  const std::uint32_t snap_length = facts.snap_length == 0 ? 0 : std::max(facts.snap_length, kSnapLength);
  Fields body;
  body.add(facts.link).add(std::uint16_t{0}).add(snap_length);
  if (!facts.name.empty()) body.option(kName, facts.name);
  if (!facts.description.empty()) body.option(kDescription, facts.description);
  body.option(kResolution, std::string_view(reinterpret_cast<const char*>(&kNanoseconds), 1));
  body.option(kEndOfOptions, "");
  const Fields block = body.block(kInterfaceDescription);
  put(block);
}

// Behind all that was to be written before.
void CaptureWriter::put(const Fields& fields) {
  flush();
  sink_.write(fields.data(), fields.size());
  bytes_ += fields.size();
}

void CaptureWriter::write(PacketRecords& records, std::size_t first, std::size_t last) {
  if (first == last) return;
  if (stand_as_they_are(records)) return add_parts(records, first, last);
  if (form_ == CaptureForm::pcap) {
    for (const std::uint16_t interface : records.interfaces()) id_of(interface);
    return add_parts(records, first, last);
  }
  for (std::size_t i = first; i < last; ++i) {
    records.set_interface(i, id_of(records.interface(i)));
    add_parts(records, i, i + 1);
  }
}

void CaptureWriter::add_parts(const PacketRecords& records, std::size_t first, std::size_t last) {
  records.each_part(first, last, [this](const std::uint8_t* bytes, std::size_t size) {
    parts_.push_back({bytes, size});
    bytes_ += size;
  });
}

void CaptureWriter::flush() {
  if (parts_.empty()) return;
  sink_.write_parts(parts_);
  parts_.clear();
}

bool CaptureWriter::stand_as_they_are(const PacketRecords& records) const {
  return std::ranges::all_of(records.interfaces(), [this](std::uint16_t interface) {
    if (interface >= ids_.size()) return false;
    return form_ == CaptureForm::pcap ? ids_[interface] != kNotWritten : ids_[interface] == interface - 1u;
  });
}

void CaptureWriter::finish(std::uint16_t link) {
  flush();
  if (!begun_) begin_file();
  if (form_ == CaptureForm::pcap) {
    if (!link_) begin_pcap(link);
    return;
  }
  for (const std::uint16_t interface : interfaces_.in_order()) id_of(interface);
  if (next_id_ == 0) write_interface({.link = link});  // some readers refuse a file without any
}

std::unique_ptr<OutputFile> open_capture_output(const std::string& name, unsigned threads,
                                                const std::atomic<bool>& interrupted,
                                                const std::atomic<bool>* gives_up) {
  auto file = std::make_unique<OutputFile>(name, &interrupted, gives_up, Readers::owner);
  if (const Packing packing = packing_of(name); packing != Packing::none) file->pack(packing, threads);
  return file;
}

}  // namespace warpmeter::inline packet
