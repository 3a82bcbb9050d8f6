#include "packet/write/capture_writer.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/byte_order.h"
#include "packet/file/capture_links.h"
#include "packet/file/interface_list.h"
#include "warpmeter/status.h"

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
  if (frame.captured > 0) std::memcpy(bytes_.data() + begin + header, frame.data, frame.captured);
  bytes_.resize(begin + header + frame.captured);
  append_record_end(form, facts, comments, bytes_);
  records_.push_back({place, bytes_.size()});
  if (!interfaces_.empty() && interfaces_.back() == interface) return;
  if (std::ranges::find(interfaces_, interface) == interfaces_.end()) interfaces_.push_back(interface);
}
namespace {

constexpr std::uint32_t kPcapNanoseconds = 0xa1b23c4d, kSectionHeader = 0x0a0d0d0a, kByteOrder = 0x1a2b3c4d;
constexpr std::uint32_t kInterfaceDescription = 1;
constexpr std::uint16_t kEndOfOptions = 0, kName = 2, kDescription = 3, kResolution = 9;
constexpr std::uint8_t kNanoseconds = 9;        // if_tsresol: 10^-9 s
constexpr std::uint32_t kSnapLength = 262'144;  // as of most captures; longer than any that was joined
constexpr std::size_t kInterfaceOfBlock = 8;    // bytes before it
constexpr std::size_t kWord = 4;

// Fields in the order of this machine, one behind the other.
class Fields {
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

}  // namespace

void CaptureWriter::begin_file() {
  begun_ = true;
  if (form_ == CaptureForm::pcap) return;
  constexpr std::uint64_t kUnknownLength = ~std::uint64_t{0};
  const Fields section =
      Fields().add(kByteOrder).add(std::uint16_t{1}).add(std::uint16_t{0}).add(kUnknownLength).block(kSectionHeader);
  put(section.data(), section.size());
}

void CaptureWriter::begin_pcap(std::uint16_t link) {
  link_ = link;
  Fields header;
  header.add(kPcapNanoseconds).add(std::uint16_t{2}).add(std::uint16_t{4}).add(std::uint64_t{0});
  header.add(kSnapLength).add(std::uint32_t{link});
  put(header.data(), header.size());
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
  put(block.data(), block.size());
}

void CaptureWriter::write(PacketRecords& records, std::size_t first, std::size_t last) {
  if (first == last) return;
  const std::span<std::uint8_t> bytes = records.bytes(first, last);
  if (stand_as_they_are(records)) return put(bytes.data(), bytes.size());
  if (form_ == CaptureForm::pcapng) return write_one_by_one(bytes);
  for (const std::uint16_t interface : records.interfaces()) id_of(interface);
  put(bytes.data(), bytes.size());
}

bool CaptureWriter::stand_as_they_are(const PacketRecords& records) const {
  return std::ranges::all_of(records.interfaces(), [this](std::uint16_t interface) {
    if (interface >= ids_.size()) return false;
    return form_ == CaptureForm::pcap ? ids_[interface] != kNotWritten : ids_[interface] == interface - 1u;
  });
}

void CaptureWriter::write_one_by_one(std::span<std::uint8_t> records) {
  while (!records.empty()) {
    std::uint8_t* const block = records.data();
    const auto length = load<std::uint32_t>(block + kWord);
    const std::uint32_t id = id_of(static_cast<std::uint16_t>(load<std::uint32_t>(block + kInterfaceOfBlock) + 1));
    std::memcpy(block + kInterfaceOfBlock, &id, sizeof id);
    put(block, length);
    records = records.subspan(length);
  }
}

void CaptureWriter::begin_packet(const RecordFacts& facts, std::span<const std::string> comments) {
  RecordFacts told = facts;
  told.interface = static_cast<std::uint16_t>(id_of(facts.interface) + 1);
  std::uint8_t header[kMostRecordHeader];
  put(header, write_record_header(form_, told, comments, header));
}

void CaptureWriter::end_packet(const RecordFacts& facts, std::span<const std::string> comments) {
  end_.clear();
  append_record_end(form_, facts, comments, end_);
  if (!end_.empty()) put(end_.data(), end_.size());
}

void CaptureWriter::finish(std::uint16_t link) {
  if (!begun_) begin_file();
  if (form_ == CaptureForm::pcap) {
    if (!link_) begin_pcap(link);
    return;
  }
  for (const std::uint16_t interface : interfaces_.in_order()) id_of(interface);
  if (next_id_ == 0) write_interface({.link = link});  // some readers refuse a file without any
}

}  // namespace warpmeter::inline packet
