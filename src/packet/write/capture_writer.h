// A capture file, written from PacketRecords, which others than the one that writes have made: pcap or pcapng, of any
// link types that the format can tell, with nanoseconds.
//
// An interface of a pcapng file is written before its first packet, those without packets at the end, so that the file
// depends on the packets alone. What is known of one is told: link type, name, description, and a snap length with room
// for what was joined. A pcap file has one link type.
//
// Threads: one at a time. Errors: Error; PipeClosed and what else the sink throws.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/files/output_file.h"
#include "core/byte_sink.h"
#include "packet/file/interface_list.h"
#include "packet/write/packet_records.h"

namespace warpmeter::inline packet {

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

class CaptureWriter {
 public:
  // `sink` and `interfaces` must outlive it; the name is for messages. Writes nothing yet.
  CaptureWriter(CaptureForm form, ByteSink& sink, const InterfaceList& interfaces, std::string name)
      : form_(form), sink_(sink), interfaces_(interfaces), name_(std::move(name)) {}

  CaptureForm form() const { return form_; }

  // Records first .. last-1, as they were made for this form; their interfaces are numbered anew. They stay as they are
  // until flush().
  void write(PacketRecords& records, std::size_t first, std::size_t last);
  void flush();

  // There are no more. `link`: of a file without packets and interfaces.
  void finish(std::uint16_t link);

  std::uint64_t bytes() const { return bytes_; }  // so far

 private:
  static constexpr std::uint32_t kNotWritten = ~std::uint32_t{0};
  class Fields;

  void put(const Fields& fields);
  void begin_file();
  void begin_pcap(std::uint16_t link);
  std::uint32_t id_of(std::uint16_t interface);
  void check_link(std::uint16_t link);
  void write_interface(const InterfaceFacts& facts);
  bool stand_as_they_are(const PacketRecords& records) const;
  void add_parts(const PacketRecords& records, std::size_t first, std::size_t last);

  const CaptureForm form_;
  ByteSink& sink_;
  const InterfaceList& interfaces_;
  const std::string name_;
  bool begun_ = false;
  std::uint64_t bytes_ = 0;
  std::optional<std::uint16_t> link_;  // of a pcap file
  std::vector<std::uint32_t> ids_;     // in the file, by number; of pcap 0
  std::uint32_t next_id_ = 0;
  std::vector<BytePart> parts_;  // to be written
};

// The file that a capture is written to: compressed as its name says, by so many threads; "-" is standard output. A
// capture holds what people have said to each other: nobody else may read it. `gives_up`: as of OutputFile. What is
// referred to must outlive it. Throws Error.
std::unique_ptr<OutputFile> open_capture_output(const std::string& name, unsigned threads,
                                                const std::atomic<bool>& interrupted,
                                                const std::atomic<bool>* gives_up = nullptr);

}  // namespace warpmeter::inline packet
