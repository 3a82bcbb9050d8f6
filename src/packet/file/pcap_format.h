// How the pcap records of one file are written, and the walk from one to the next: microseconds, nanoseconds and
// "modified" (Kuznetzov) records, both byte orders, the swapped lengths of versions before 2.3, AIX's version 2.2.
// Source: draft-ietf-opsawg-pcap; libpcap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/byte_order.h"
#include "packet/file/limits.h"
#include "packet/file/regular_file.h"
#include "warpmeter/frame.h"

namespace warpmeter::inline packet {

struct PcapFormat {
  static constexpr std::size_t kFileHeader = 24;
  static bool is_magic(const std::uint8_t* first4);

  // Reads a file header. REQUIRES: kFileHeader bytes that begin with a magic number.
  static PcapFormat parse(const std::uint8_t* header);

  bool swapped = false;           // the file's byte order is not ours
  bool lengths_swapped = false;   // version before 2.3
  bool lengths_doubtful = false;  // version 2.3
  std::uint16_t link = 0;
  std::uint32_t snap_length = 0;
  std::uint32_t record_header = 16;  // bytes
  std::uint32_t ns_per_fraction = 1000;
  std::uint32_t fractions_per_second() const { return 1'000'000'000 / ns_per_fraction; }
  bool modified() const { return record_header != 16; }
  bool has_odd_lengths() const { return lengths_swapped || lengths_doubtful; }
};

// What a pcap record's header says.
struct PcapRecord {
  std::uint32_t seconds;
  std::int32_t fraction;  // below 0, or a second and more, where a file says so
  std::uint32_t captured, original;

  bool has_odd_fraction(const PcapFormat& format) const {
    return static_cast<std::uint32_t>(fraction) >= format.fractions_per_second();
  }

  std::int64_t time_ns(const PcapFormat& format) const {
    return std::int64_t{seconds} * 1'000'000'000 + std::int64_t{fraction} * format.ns_per_fraction;
  }
};

// Reads a pcap record's header. REQUIRES: format.record_header bytes, kSwapped == format.swapped.
template <bool kSwapped>
PcapRecord read_pcap_record(const PcapFormat& format, const std::uint8_t* p) {
  const auto field = [p](int at) {
    const auto value = load<std::uint32_t>(p + at);
    return kSwapped ? byte_swap(value) : value;
  };
  PcapRecord record{field(0), static_cast<std::int32_t>(field(4)), field(8), field(12)};
  if (format.has_odd_lengths() && (format.lengths_swapped || record.captured > record.original)) {
    std::swap(record.captured, record.original);
  }
  return record;
}

inline Frame frame_of(const PcapFormat& format, const PcapRecord& record, const std::uint8_t* header) {
  return {header + format.record_header, record.time_ns(format), record.captured, record.original, format.link};
}

// Does a file header begin here, of a pcap or pcapng file that was put behind another (`cat a.pcap b.pcap`)? As a pcap
// record it would be one of no bytes, or of far too many, at an odd time. REQUIRES: kHeaderLook bytes.
inline constexpr std::size_t kHeaderLook = 16;
bool begins_next_file(const std::uint8_t* p);

// Is this pcap record header made of zeros? REQUIRES: format.record_header bytes.
inline bool is_zero_header(const PcapFormat& format, const std::uint8_t* p) {
  std::uint64_t any = load<std::uint64_t>(p) | load<std::uint64_t>(p + 8);
  if (format.modified()) any |= load<std::uint64_t>(p + 16);
  return any == 0;
}

// Why a file makes no sense from some place on. zeros: it does if they go on up to the end. next_file: nothing is
// wrong, but here another one begins.
enum class PcapFault : std::uint8_t { none, header_cut_short, too_long, record_cut_short, zeros, next_file, unlikely };

// Is this what no ordinary pcap record says of its captured bytes? Then it may be a file header, or damage.
inline bool is_odd_length(std::uint32_t captured) { return captured - 1 >= kMaxCaptured; }
std::string fault_text(PcapFault fault, std::uint32_t captured);  // `captured`: of the pcap record that is too long

// A walk over pcap records, of files and of pipes: where the next one begins only its header tells.
struct PcapWalk {
  std::uint64_t at;                   // the next header
  PcapFault fault = PcapFault::none;  // of the pcap record that begins there
  std::uint32_t captured = 0;         // with too_long and record_cut_short: what it claims
  std::uint64_t zeros_from = 0;  // a header of zeros before it is one of a packet without bytes; others are a fault
  std::uint64_t odd_fraction = kNone;  // the first header with a fraction below 0, or of a second and more

  static constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

  bool is_cut_short() const { return fault == PcapFault::header_cut_short || fault == PcapFault::record_cut_short; }
};

// Walks on until a header begins at `end` or later, `frames` holds `most`, or at a fault. A fault that something is cut
// short says no more than that these bytes end; with others, from `at` on, the walk may go on; so it may behind zeros,
// once it is known that they are none up to the end. Appends the frames, which lie in the bytes.
void walk_records(const PcapFormat& format, const FileBytes& bytes, std::uint64_t end, PcapWalk& walk,
                  std::vector<Frame>& frames, std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace warpmeter::inline packet
