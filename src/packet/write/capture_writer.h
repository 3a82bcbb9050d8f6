// A capture file, written packet by packet: pcap or pcapng, of any link types that the format can tell, with
// nanoseconds. Packets may be made ahead, as they will stand in it, by others than the one that writes them.
//
// An interface of a pcapng file is written before its first packet, those without packets at the end, so that the file
// depends on the packets alone. What is known of one is told: link type, name, description, and a snap length with room
// for what was joined. A pcap file has one link type.
//
// Threads: a CaptureWriter one at a time, PacketRecords one owner. Errors: Error; PipeClosed and what else the sink
// throws.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/byte_sink.h"
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

// Packets as they stand in a capture file, one behind the other, made ahead of the one that writes them: records of
// pcap (its nanosecond dialect), or Enhanced Packet Blocks of pcapng (draft-ietf-opsawg-pcapng), whose interface is
// still its number in an InterfaceList, less 1. Little-endian, as this machine is. Each has a place, by which those of
// several makers are put in order.
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

class CaptureWriter {
 public:
  // `sink` and `interfaces` must outlive it; the name is for messages. Writes nothing yet.
  CaptureWriter(CaptureForm form, ByteSink& sink, const InterfaceList& interfaces, std::string name)
      : form_(form), sink_(sink), interfaces_(interfaces), name_(std::move(name)) {}

  CaptureForm form() const { return form_; }

  // Records first .. last-1, as they were made for this form; their interfaces are numbered anew.
  void write(PacketRecords& records, std::size_t first, std::size_t last);

  // A packet in pieces: what is told of it, its bytes, and that these were all.
  void begin_packet(const RecordFacts& facts, std::span<const std::string> comments);
  void write_bytes(const std::uint8_t* bytes, std::size_t size) { put(bytes, size); }
  void end_packet(const RecordFacts& facts, std::span<const std::string> comments);

  // There are no more. `link`: of a file without packets and interfaces.
  void finish(std::uint16_t link);

  std::uint64_t bytes() const { return bytes_; }  // written so far

 private:
  static constexpr std::uint32_t kNotWritten = ~std::uint32_t{0};

  void put(const void* bytes, std::size_t size) {
    sink_.write(bytes, size);
    bytes_ += size;
  }
  void begin_file();
  void begin_pcap(std::uint16_t link);
  std::uint32_t id_of(std::uint16_t interface);
  void check_link(std::uint16_t link);
  void write_interface(const InterfaceFacts& facts);
  bool stand_as_they_are(const PacketRecords& records) const;
  void write_one_by_one(std::span<std::uint8_t> records);

  const CaptureForm form_;
  ByteSink& sink_;
  const InterfaceList& interfaces_;
  const std::string name_;
  bool begun_ = false;
  std::uint64_t bytes_ = 0;
  std::optional<std::uint16_t> link_;  // of a pcap file
  std::vector<std::uint32_t> ids_;     // in the file, by number; of pcap 0
  std::uint32_t next_id_ = 0;
  UnwrittenVector<std::uint8_t> end_;  // of a packet
};

}  // namespace warpmeter::inline packet
