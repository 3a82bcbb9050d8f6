// Reads pcap files from first to last record, from whatever gives bytes. A regular file can be read by several threads
// at once instead: in_chunks().
//
// Zeros up to the end are damage, zeros before anything else packets without bytes. A pipe does not tell which before
// its end, so they are counted until it does; of a file its end is looked at.
#pragma once

#include <string>

#include "packet/file/byte_source.h"
#include "packet/file/capture_reader.h"
#include "packet/file/pcap_format.h"
#include "packet/file/resync.h"

namespace warpmeter::inline packet {

class PcapReader : public CaptureReader {
 public:
  static constexpr std::size_t kFileHeader = PcapFormat::kFileHeader;
  static bool is_magic(const std::uint8_t* first4) { return PcapFormat::is_magic(first4); }
  static bool recognises(const ByteSource& source);  // a whole file header

  // Throws Error for an unknown link type, unless any will do. `name` is for messages.
  PcapReader(std::string name, std::unique_ptr<ByteSource> source, const CaptureOptions& options = {});

  // What is known of the records before the first that is read.
  struct Before {
    bool resync = false;
    NearTime near = {};
    bool odd_fraction = false;  // was met
  };

  // From a pcap record on; the file header was read elsewhere.
  PcapReader(std::string name, std::unique_ptr<ByteSource> source, const PcapFormat& format, const Before& before);

  bool read(FrameBlock& block, std::size_t limit) override;
  std::unique_ptr<ByteSource> rest() override;
  std::shared_ptr<ChunkedPcap> in_chunks() const override;
  CaptureFacts facts() const override;
  std::uint64_t offset() const override { return source_->consumed(); }
  void read_ahead() override { source_->read_ahead(); }
  void park() override { source_->park(); }
  std::uint64_t size() const override { return source_->size(); }
  Skips skips() const override { return resync_.skips(); }
  std::vector<Damage> skipped() const override { return resync_.told(); }
  std::optional<std::uint64_t> odd_fraction() const override { return odd_fraction_; }

 private:
  // Headers of zeros that a pipe gave.
  struct Zeros {
    std::uint64_t begin;      // of the first
    std::uint64_t count = 0;  // not yet taken for packets
    bool are_packets = false;
  };

  bool walk(FrameBlock& block, std::size_t limit, std::uint64_t until);
  void stop_at_unlikely(FrameBlock& block, std::size_t before, PcapWalk& records) const;
  bool met_zeros();
  bool hold_zeros(FrameBlock& block, std::size_t limit, std::uint64_t until);
  bool damaged(PcapFault fault, std::uint32_t captured = 0);
  void search(FrameBlock& block, std::uint64_t until);
  template <bool kSwapped>
  void search_in(std::uint64_t until);
  bool ended();
  bool next_file();

  const std::string name_;
  std::unique_ptr<ByteSource> source_;
  PcapFormat format_;
  const std::uint16_t link_;      // as in the file
  bool next_file_ = false;        // begins where this one ended
  std::uint64_t zeros_from_ = 0;  // see PcapWalk
  std::optional<Zeros> zeros_;
  std::optional<std::uint64_t> odd_fraction_;
  bool odd_fractions_;  // were met, here or before
  Resync resync_;
  NearTime near_;
};

}  // namespace warpmeter::inline packet
