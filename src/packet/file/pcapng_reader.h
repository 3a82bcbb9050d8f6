// Reads pcapng files: any number of sections (byte order may change) and interfaces (link type, resolution and offset
// of their times), enhanced, simple and obsolete packet blocks; other blocks are passed over. Source:
// draft-ietf-opsawg-pcapng.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "packet/file/byte_source.h"
#include "packet/file/capture_links.h"
#include "packet/file/capture_reader.h"
#include "packet/file/interface_list.h"
#include "packet/file/resync.h"

namespace warpmeter::inline packet {

// One interface of a section (pcapng_interface.cc): what its description block says about the packets that name it.
struct PcapngInterface {
  std::uint16_t link = 0;                   // LINKTYPE number as in the file
  std::uint16_t decoded_link = 0;           // the same, or kUnknownLink
  bool refused = false;                     // its frames are not to be read (capture_links.h)
  std::uint32_t snap_length = 0;            // 0 = no limit
  std::uint8_t resolution = 6;              // if_tsresol: 10^-n s, with the high bit 2^-n s
  std::int64_t offset_s = 0;                // if_tsoffset
  std::string name = {}, description = {};  // if_name, if_description
  bool lost = false;                        // its description is damaged: nothing of it is known
  std::uint16_t number = 0;                 // in the trace (interface_list.h); 0: nobody wants to know

  // Reads an Interface Description Block's body. REQUIRES: size >= 8.
  static PcapngInterface parse(const std::uint8_t* body, std::size_t size, bool swapped);

  // Ticks since the epoch to ns, finer times cut. What is out of range (limits.h) becomes its end, and is counted in
  // `clamped`, if that is not null.
  std::int64_t time_ns(std::uint64_t ticks, std::uint64_t* clamped = nullptr) const;
};

class PcapngReader : public CaptureReader {
 public:
  static bool is_magic(const std::uint8_t* first4);
  static bool recognises(const ByteSource& source);

  // `name` is for messages.
  PcapngReader(std::string name, std::unique_ptr<ByteSource> source, const CaptureOptions& options = {});

  bool read(FrameBlock& block, std::size_t limit) override;
  std::unique_ptr<ByteSource> rest() override;
  CaptureFacts facts() const override;
  std::uint64_t offset() const override { return source_->consumed(); }
  void read_ahead() override { source_->read_ahead(); }
  void park() override { source_->park(); }
  std::uint64_t clamped_times() const override { return clamped_times_; }
  std::uint64_t size() const override { return source_->size(); }
  Skips skips() const override { return resync_.skips(); }
  std::vector<Damage> skipped() const override { return resync_.told(); }

 private:
  struct Body;
  bool ended();
  bool goes_on_here();
  bool is_known(std::uint32_t interface) const {
    return interface < interfaces_.size() && !interfaces_[interface].lost;
  }
  bool is_readable(std::uint32_t type, const Body& body) const;
  bool lost(bool is_interface, std::string reason);
  bool read_block(FrameBlock& block);
  bool read_long_block(std::uint32_t type, std::uint32_t length, FrameBlock& block);
  bool read_body(std::uint32_t type, const Body& body, FrameBlock& block);
  bool start_section();
  bool add_interface(const Body& body);
  void count_packet(std::size_t interface);
  void note(PcapngInterface& interface);
  std::uint16_t options_behind(std::uint32_t captured, const Body& body) const;
  bool enhanced_packet(const Body& body, FrameBlock& block);
  bool obsolete_packet(const Body& body, FrameBlock& block);
  bool simple_packet(const Body& body, FrameBlock& block);
  bool packet(const Body& body, std::uint32_t interface, std::uint32_t high, std::uint32_t low, FrameBlock& block);
  bool damaged(std::string reason);
  bool cut_short(std::uint32_t length);
  void require_known_link() const;
  std::uint16_t u16(const std::uint8_t* p) const;
  std::uint32_t u32(const std::uint8_t* p) const;

  const std::string name_;
  std::unique_ptr<ByteSource> source_;
  const bool any_link_;
  bool swapped_ = false;
  std::vector<PcapngInterface> interfaces_;  // of the current section
  CaptureFacts facts_;
  std::vector<std::size_t> noted_as_;              // index in facts_.interfaces of each interface of the section
  const std::shared_ptr<InterfaceList> numbered_;  // null: nobody wants to know
  std::optional<InterfaceList::Section> section_;  // of these
  LinksOfFile links_;
  std::vector<std::uint16_t> links_met_;  // unknown ones, for the message; one more than it names
  bool known_link_met_ = false;
  std::int64_t last_time_ns_ = 0;
  std::uint64_t block_at_ = 0;  // where the block that is read begins
  std::uint64_t clamped_times_ = 0;
  bool next_file_ = false;  // begins where this one ended
  Resync resync_;
};

}  // namespace warpmeter::inline packet
