// Reads Endace's Extensible Record Format: no file header; for every packet a header of 16 bytes {64-bit little-endian
// fixed-point time, of which the upper half are seconds; u8 type, u8 flags, u16 length of the record, u16 lost packets
// or colour, u16 length on the wire, all big-endian}, extension headers of 8 bytes as long as the highest bit of the
// type (and of each one's first byte) says so, then the packet: Ethernet behind two more bytes, packet over SONET,
// IPv4, IPv6. Other types are numbered and not decoded, padding is passed over. Source: Endace EDM11-01, "ERF Types
// Reference Guide".
//
// Times are rounded to the nearest ns. The length on the wire includes the frame check sequence. Damage: a record
// shorter than its headers, or that goes on beyond the file.
#pragma once

#include <map>
#include <string>

#include "packet/file/byte_source.h"
#include "packet/file/capture_links.h"
#include "packet/file/capture_reader.h"
#include "packet/file/resync.h"

namespace warpmeter::inline packet {

class ErfReader : public CaptureReader {
 public:
  // By what looks like the first packets of such a file. May move the source's window.
  static bool recognises(ByteSource& source);

  // By the same, but that the times may be those of a clock that is not set, as of a traffic generator.
  static bool may_begin(ByteSource& source);

  // Could the first record be read? May move the source's window.
  static bool fits(ByteSource& source);

  // `name` is for messages.
  ErfReader(std::string name, std::unique_ptr<ByteSource> source, const CaptureOptions& options = {});

  bool read(FrameBlock& block, std::size_t limit) override;
  CaptureFacts facts() const override;
  std::uint64_t offset() const override { return source_->consumed(); }
  void read_ahead() override { source_->read_ahead(); }
  void park() override { source_->park(); }
  std::uint64_t size() const override { return source_->size(); }
  Skips skips() const override { return resync_.skips(); }
  std::vector<Damage> skipped() const override { return resync_.told(); }

 private:
  bool read_record(FrameBlock& block);
  bool ended();
  bool damaged(std::string reason);
  void count_packet(std::uint16_t link);

  const std::string name_;
  const std::unique_ptr<ByteSource> source_;
  LinksOfFile links_;
  std::map<std::uint16_t, std::uint64_t> packets_;  // read so far, by link type
  Resync resync_;
  NearTime near_;
};

}  // namespace warpmeter::inline packet
