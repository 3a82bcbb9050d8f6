// Reads pcap files: microseconds, nanoseconds and "modified" (Kuznetzov) records, both byte orders, the swapped lengths
// of versions before 2.3. Source: draft-ietf-opsawg-pcap.
#pragma once

#include <string>

#include "capture/byte_source.h"
#include "capture/capture_reader.h"

namespace warpmeter {

class PcapReader : public CaptureReader {
 public:
  static constexpr std::size_t kFileHeader = 24;
  static bool is_magic(const std::uint8_t* first4);
  static bool recognises(const ByteSource& source);  // a whole file header

  // Throws Error for an unknown link type. `name` is for messages.
  PcapReader(std::string name, std::unique_ptr<ByteSource> source);

  bool read(FrameBlock& block, std::size_t limit) override;
  std::uint64_t offset() const override { return source_->offset(); }
  std::uint64_t size() const override { return source_->size(); }

 private:
  template <bool kSwapped>
  bool read_records(FrameBlock& block, std::size_t limit);
  bool damaged(std::string reason);

  const std::string name_;
  const std::unique_ptr<ByteSource> source_;
  bool swapped_ = false;           // the file's byte order is not ours
  bool lengths_swapped_ = false;   // version before 2.3
  bool lengths_doubtful_ = false;  // version 2.3
  std::uint16_t link_ = 0;
  std::uint32_t record_header_ = 16;
  std::uint32_t ns_per_fraction_ = 1000;
};

}  // namespace warpmeter
