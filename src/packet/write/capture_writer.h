// A capture file, written packet by packet: pcap or pcapng, of any link types that the format can tell, with
// nanoseconds.
//
// An interface of a pcapng file is written before its first packet, those without packets at the end, so that the file
// depends on the packets alone. What is known of one is told: link type, name, description, and a snap length with room
// for what was joined. A pcap file has one link type.
//
// Threads: one at a time. Errors: Error; PipeClosed and what else the sink throws.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/byte_sink.h"
#include "core/unwritten_vector.h"
#include "packet/file/interface_list.h"
#include "packet/write/capture_form.h"
#include "packet/write/packet_records.h"

namespace warpmeter::inline packet {

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

  // There are no more. `link`: of a pcap file without packets.
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
  void write_interface(std::uint16_t interface);
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
