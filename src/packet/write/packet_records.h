// Packets as they stand in a capture file, one behind the other, made ahead of the one that writes them: records of
// pcap (its nanosecond dialect), or Enhanced Packet Blocks of pcapng (draft-ietf-opsawg-pcapng), whose interface is
// still its number in an InterfaceList, less 1. Little-endian, as this machine is. Each has a place, by which those of
// several makers are put in order.
//
// Threads: one owner at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/unwritten_vector.h"
#include "packet/file/interface_list.h"
#include "packet/write/capture_form.h"
#include "warpmeter/frame.h"

namespace warpmeter::inline packet {

// What a file tells of a packet beside its bytes.
struct RecordFacts {
  std::int64_t time_ns;
  std::uint32_t captured, original;
  std::uint16_t interface;  // its number in an InterfaceList
};

// The numbers of interfaces of frames: those without one have that of their link type.
class FrameInterfaces {
 public:
  // `list` must outlive it.
  explicit FrameInterfaces(InterfaceList* list) : list_(list) {}

  std::uint16_t number_of(std::uint16_t link, std::uint16_t interface) {
    if (interface != 0) return interface;
    if (link_number_ == 0 || link != link_) {
      link_number_ = list_->of_link(link);
      link_ = link;
    }
    return link_number_;
  }

 private:
  InterfaceList* list_;
  std::uint16_t link_ = 0, link_number_ = 0;
};

// Room for what is before the bytes of a packet, and for what is behind them but for comments.
inline constexpr std::size_t kMostRecordHeader = 28, kMostRecordEnd = 8;

// Both write to `to` and return how many bytes.
std::size_t write_record_header(CaptureForm form, const RecordFacts& facts, std::span<const std::string> comments,
                                std::uint8_t* to);
void append_record_end(CaptureForm form, const RecordFacts& facts, std::span<const std::string> comments,
                       UnwrittenVector<std::uint8_t>& to);

class PacketRecords {
 public:
  void clear() {
    bytes_.clear();
    records_.clear();
    interfaces_.clear();
  }

  // Adds a packet behind those that are here. REQUIRES: its place is not before theirs.
  void add(CaptureForm form, const Frame& frame, std::uint16_t interface, std::uint32_t place);

  std::size_t size() const { return records_.size(); }
  std::uint32_t place(std::size_t i) const { return records_[i].place; }
  // Records first .. last-1. What stands there may be changed.
  std::span<std::uint8_t> bytes(std::size_t first, std::size_t last) {
    return {bytes_.data() + begin_of(first), bytes_.data() + begin_of(last)};
  }
  // All that they have, each once.
  const std::vector<std::uint16_t>& interfaces() const { return interfaces_; }

 private:
  struct Record {
    std::uint32_t place;
    std::size_t end;
  };
  std::size_t begin_of(std::size_t i) const { return i == 0 ? 0 : records_[i - 1].end; }

  UnwrittenVector<std::uint8_t> bytes_;
  std::vector<Record> records_;
  std::vector<std::uint16_t> interfaces_;
};

}  // namespace warpmeter::inline packet
