// Reads pcap files from first to last record, from whatever gives bytes. A regular file can be read by several threads
// at once instead: in_chunks().
#pragma once

#include <string>

#include "capture/byte_source.h"
#include "capture/capture_reader.h"
#include "capture/pcap_format.h"

namespace warpmeter {

class PcapReader : public CaptureReader {
 public:
  static constexpr std::size_t kFileHeader = PcapFormat::kFileHeader;
  static bool is_magic(const std::uint8_t* first4) { return PcapFormat::is_magic(first4); }
  static bool recognises(const ByteSource& source);  // a whole file header

  // Throws Error for an unknown link type, unless any will do. `name` is for messages.
  PcapReader(std::string name, std::unique_ptr<ByteSource> source, const CaptureOptions& options = {});

  // From a pcap record on; the file header was read elsewhere.
  PcapReader(std::string name, std::unique_ptr<ByteSource> source, const PcapFormat& format);

  bool read(FrameBlock& block, std::size_t limit) override;
  std::unique_ptr<ByteSource> rest() override;
  std::shared_ptr<ChunkedPcap> in_chunks() const override;
  CaptureFacts facts() const override;
  std::uint64_t offset() const override { return source_->consumed(); }
  void read_ahead() override { source_->read_ahead(); }
  void park() override { source_->park(); }
  std::uint64_t size() const override { return source_->size(); }

 private:
  bool damaged(PcapFault fault, std::uint32_t captured = 0);
  bool ended();
  bool next_file();

  const std::string name_;
  std::unique_ptr<ByteSource> source_;
  PcapFormat format_;
  const std::uint16_t link_;  // as in the file
  bool next_file_ = false;    // begins where this one ended
};

}  // namespace warpmeter
