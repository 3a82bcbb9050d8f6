// Packets as they stand in a capture file, made ahead of the one that writes them: records of pcap (its nanosecond
// dialect), or Enhanced Packet Blocks of pcapng (draft-ietf-opsawg-pcapng), whose interface is still its number in an
// InterfaceList, less 1. Little-endian, as this machine is.
//
// What is long is not copied: such bytes lie outside, in their frames. Whoever makes the records sees to it that they
// stay, or has them kept.
//
// Threads: one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/unwritten_vector.h"
#include "warpmeter/frame.h"

namespace warpmeter::inline packet {

// The formats of captures that are written.
enum class CaptureForm : std::uint8_t {
  pcap,    // with nanoseconds; one link type, no comments
  pcapng,  // with nanoseconds, interfaces and comments
};

// A file can tell such a time. If not, it tells the nearest that it can: none is before 1970, of pcap none is behind
// 2106.
inline bool can_tell(CaptureForm form, std::int64_t time_ns) {
  constexpr std::int64_t kEndOfPcap = (std::int64_t{1} << 32) * 1'000'000'000;
  return time_ns >= 0 && (form != CaptureForm::pcap || time_ns < kEndOfPcap);
}

// What a file tells of a packet beside its bytes.
struct RecordFacts {
  std::int64_t time_ns;
  std::uint32_t captured, original;
  std::uint16_t interface;  // its number in an InterfaceList
};

// Bytes that do not move.
using ByteBlocks = std::vector<std::unique_ptr<std::uint8_t[]>>;

class PacketRecords {
 public:
  // The same records in no more room than they need. REQUIRES: what lies outside is in frames.
  PacketRecords copy() const;

  void clear();

  // Adds a packet behind those that are here. Each has a place, by which those of several makers are put in order.
  void add(CaptureForm form, const Frame& frame, std::uint16_t interface, std::uint32_t place) {
    add(form, frame, {frame.time_ns, frame.captured, frame.original, interface}, place);
  }
  // With other facts: of the frame so many bytes as these say, which it has.
  void add(CaptureForm form, const Frame& frame, const RecordFacts& facts, std::uint32_t place);

  // The same in pieces: what is told of it, its bytes, and that these were all.
  void begin(CaptureForm form, const RecordFacts& facts, std::span<const std::string> comments);
  void add_bytes(const std::uint8_t* bytes, std::size_t size);
  // Bytes that may lie outside: in a frame, or in what take_over() is given. Returns whether they do.
  bool refer(const std::uint8_t* bytes, std::size_t size, bool is_kept);
  void take_over(ByteBlocks&& kept);
  void end(CaptureForm form, const RecordFacts& facts, std::span<const std::string> comments, std::uint32_t place);

  std::size_t bytes() const { return bytes_.size(); }  // but for what lies outside
  // Has room for so many of them.
  void reserve(std::size_t bytes) {
    if (bytes > bytes_.capacity()) enlarge(bytes);
  }

  std::size_t size() const { return records_.size(); }
  std::uint32_t place(std::size_t i) const { return records_[i].place; }
  // All that they have, each once.
  const std::vector<std::uint16_t>& interfaces() const { return interfaces_; }

  std::size_t in_frames() const { return in_frames_; }  // pieces that lie there
  // Copies these.
  void keep();

  // Of a pcapng record: its interface in the file, instead of that in the list.
  std::uint16_t interface(std::size_t i) const;
  void set_interface(std::size_t i, std::uint32_t id);

  // Calls take(bytes, size) for the parts of records first .. last-1 in their order. They stay until these change.
  template <class Take>
  void each_part(std::size_t first, std::size_t last, const Take& take) const {
    std::size_t at = begin_of(first);
    for (std::size_t i = outside_of(first); i < outside_of(last); ++i) {
      const Outside& outside = outside_[i];
      if (outside.at > at) take(bytes_.data() + at, outside.at - at);
      take(outside.data, std::size_t{outside.size});
      at = outside.at;
    }
    if (begin_of(last) > at) take(bytes_.data() + at, begin_of(last) - at);
  }

 private:
  struct Record {
    std::uint32_t place;
    std::uint32_t outside;  // so many are before its end
    std::size_t end;
  };
  struct Outside {
    std::size_t at;  // in `bytes_` they would begin there
    const std::uint8_t* data;
    std::uint32_t size;
    bool is_kept;  // else it is in a frame
  };
  std::size_t begin_of(std::size_t i) const { return i == 0 ? 0 : records_[i - 1].end; }
  std::size_t outside_of(std::size_t i) const { return i == 0 ? 0 : records_[i - 1].outside; }
  // Room for so many bytes more, which are not written yet.
  std::uint8_t* grow(std::size_t bytes) {
    const std::size_t begin = bytes_.size();
    if (bytes_.capacity() - begin < bytes) enlarge(bytes);
    bytes_.resize(begin + bytes);
    return bytes_.data() + begin;
  }
  void enlarge(std::size_t bytes);
  void add_with_comments(const RecordFacts& facts, const Frame& frame, std::uint32_t place);
  void write_end(const RecordFacts& facts, std::span<const std::string> comments);
  void note(std::uint16_t interface, std::uint32_t place);

  UnwrittenVector<std::uint8_t> bytes_;
  std::vector<Outside> outside_;
  std::size_t in_frames_ = 0;  // of these
  ByteBlocks kept_;            // where the others are
  std::vector<Record> records_;
  std::vector<std::uint16_t> interfaces_;
};

}  // namespace warpmeter::inline packet
