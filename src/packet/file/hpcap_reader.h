// Reads HP-CAP's raw capture files, as its driver writes them for fast links: no file header; for every packet a packed
// header of 12 bytes in little-endian order {u32 seconds, u32 nanoseconds, u16 captured, u16 original length} and the
// captured bytes of an Ethernet frame, nothing aligned. Padding, at the end of a file or at its beginning, is a record
// without a time whose two lengths tell how many bytes follow, perhaps none.
//
// Less than a header at the end is the end. Damage: nanoseconds that make a second or more, a record that goes on
// beyond the file. HP-CAP cuts packets, so the original length is the longer one; where a file says otherwise both
// lengths are taken as they stand, as from pcap: nothing is metered by them but what has no length of its own.
#pragma once

#include <string>

#include "packet/file/byte_source.h"
#include "packet/file/capture_reader.h"
#include "packet/file/resync.h"

namespace warpmeter::inline packet {

class HpcapReader : public CaptureReader {
 public:
  // By what looks like the first packets of such a file. May move the source's window.
  static bool recognises(ByteSource& source);

  // By the same, but that the times may be those of a clock that is not set.
  static bool may_begin(ByteSource& source);

  // Could the first record be read? May move the source's window.
  static bool fits(ByteSource& source);

  // `name` is for messages.
  HpcapReader(std::string name, std::unique_ptr<ByteSource> source, bool resync = false);

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

  const std::string name_;
  const std::unique_ptr<ByteSource> source_;
  Resync resync_;
  NearTime near_;
};

}  // namespace warpmeter::inline packet
