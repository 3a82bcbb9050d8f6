// A capture file as frames, and what it says about itself. One implementation a format; open_capture() chooses by
// content, never by name, and chains the readers of captures that follow each other in one file.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "packet/file/byte_source.h"
#include "packet/file/inputs.h"
#include "packet/file/trace_findings.h"
#include "warpmeter/frame.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {

// What a capture file says about itself, apart from its packets.
struct InterfaceFacts {
  std::string name = {}, description = {};  // empty: not told. Bytes of the file, whatever they are
  std::uint16_t link = 0;         // LINKTYPE number; kUnknownLink: formats that number links in another way have none
  bool decoded = true;            // its packets are
  std::uint32_t snap_length = 0;  // 0 = none, or not told
  std::uint8_t resolution = 6;    // of its times: 10^-n s, with the high bit 2^-n s
  std::uint64_t packets = 0;      // read so far, where counts_packets

  bool same_as(const InterfaceFacts& o) const {
    return name == o.name && description == o.description && link == o.link && snap_length == o.snap_length &&
           resolution == o.resolution;
  }
};

struct CaptureFacts {
  InputFormat format = InputFormat::automatic;  // never so once told
  std::string compression = {};                 // "gzip", ...; empty: none
  bool modified = false;                        // pcap of Kuznetzov's form
  bool big_endian = false;                      // pcapng: the section read last
  std::uint64_t sections = 1;                   // pcapng
  std::vector<InterfaceFacts> interfaces = {};  // those read so far; alike ones of several sections are one
  std::uint64_t more_interfaces = 0;            // not listed, because there are so many
  bool counts_packets = false;                  // of each interface; otherwise there is but one
};

class ChunkedPcap;

class CaptureReader {
 public:
  virtual ~CaptureReader() = default;

  // Appends frames, perhaps none, until the block holds `limit` or spans kMostBlockBytes of the file. False once the
  // file has ended or is damaged. Throws Error if the file cannot be read at all (only unknown link types, a read
  // error).
  virtual bool read(FrameBlock& block, std::size_t limit) = 0;

  // What is still to be read, for several threads at once; null if the file can only be read from first to last frame.
  virtual std::shared_ptr<ChunkedPcap> in_chunks() const { return nullptr; }

  // Where another capture begins behind this one's end, in the same file or pipe (`cat a.pcap b.pcap`): its bytes, from
  // the first on; otherwise null. Asked once, when read() has returned false; the reader is of no use afterwards.
  virtual std::unique_ptr<ByteSource> rest() { return nullptr; }

  // Gets the first bytes ready beside whatever the caller does now.
  virtual void read_ahead() {}

  // Very many files are being read at once: it holds no descriptor until the next read(), and little memory from now
  // on.
  virtual void park() {}

  // Packets whose times were out of range and are kept at its ends (limits.h).
  virtual std::uint64_t clamped_times() const { return 0; }

  // What the file has told of itself so far.
  virtual CaptureFacts facts() const = 0;

  // Of the file as it lies on the disk, perhaps compressed, in bytes: what was read so far, and all (0 if unknown).
  virtual std::uint64_t offset() const = 0;
  virtual std::uint64_t size() const = 0;

  // What ended the file before its end.
  const std::optional<Damage>& damage() const { return damage_; }
  // What was passed over (--resync): in all, and the first places of it.
  virtual Skips skips() const { return {}; }
  virtual std::vector<Damage> skipped() const { return {}; }
  // Of a pcap file: where the first packet is whose fraction of a second is none.
  virtual std::optional<std::uint64_t> odd_fraction() const { return std::nullopt; }

 protected:
  std::optional<Damage> damage_;
};

// What messages call an input.
std::string name_of_input(const std::string& path);

// Of a reader that has come to its end: what it found. `name`: of its input, for messages.
template <class Found>
void note_findings(const CaptureReader& reader, const std::string& name, Found& found) {
  for (Damage& damage : reader.skipped()) found.damage.push_back(std::move(damage));
  if (reader.damage()) found.damage.push_back(*reader.damage());
  found.skips.add(reader.skips());
  found.clamped_times += reader.clamped_times();
  if (const auto offset = reader.odd_fraction()) found.odd_fractions.push_back({name, *offset});
}

// Of bytes that begin with a capture. Throws Error: not a capture (or not of this format), unknown link type.
std::unique_ptr<CaptureReader> read_capture(const std::string& name, std::unique_ptr<ByteSource> source,
                                            const CaptureOptions& options);

// Throws Error: cannot be opened, empty, not a capture (or not of this format), unknown link type.
std::unique_ptr<CaptureReader> open_capture(const std::string& path, const std::atomic<bool>& stop,
                                            const CaptureOptions& options = {});

// Does this file begin like a capture? What is compressed and cannot be unpacked far enough to tell is taken for one,
// so that opening it says what is wrong; an empty file too. Throws Error: cannot be opened or read.
bool looks_like_capture(const std::string& path, InputFormat format = InputFormat::automatic);

// What a file holds that nothing but other packets should be written over: "a capture", "a segment file"; empty:
// anything else, or what cannot be read or unpacked.
std::string packets_in(const std::string& path);

// Captures that follow each other in one file or pipe (`cat a.pcap b.pcap`, `zcat *.gz |`), as one: where a reader ends
// because another file header begins, the reader of that goes on. Each has its own byte order, link type and unit of
// time. One whose link type is unknown ends the file, as damage.
class ChainedReader : public CaptureReader {
 public:
  // `name` is for messages.
  ChainedReader(std::string name, std::unique_ptr<CaptureReader> first, const CaptureOptions& options)
      : name_(std::move(name)), options_(options), current_(std::move(first)) {}

  bool read(FrameBlock& block, std::size_t limit) override;
  std::shared_ptr<ChunkedPcap> in_chunks() const override { return current_->in_chunks(); }
  void read_ahead() override { current_->read_ahead(); }
  void park() override { current_->park(); }
  CaptureFacts facts() const override { return current_ ? current_->facts() : facts_; }  // of the capture read last
  std::uint64_t offset() const override { return current_ ? current_->offset() : offset_; }
  std::uint64_t size() const override { return current_ ? current_->size() : size_; }
  std::uint64_t clamped_times() const override { return clamped_times_ + (current_ ? current_->clamped_times() : 0); }
  Skips skips() const override;
  std::vector<Damage> skipped() const override;
  std::optional<std::uint64_t> odd_fraction() const override {
    return odd_fraction_ || !current_ ? odd_fraction_ : current_->odd_fraction();
  }

 private:
  bool read_current(FrameBlock& block, std::size_t limit);
  bool begin_next();
  void stop_at(const Error& error);

  const std::string name_;
  const CaptureOptions options_;
  std::unique_ptr<CaptureReader> current_;  // null after one that could not be opened
  CaptureFacts facts_;
  std::uint64_t begin_ = 0;  // of the current capture
  std::uint64_t offset_ = 0, size_ = 0, clamped_times_ = 0;
  Skips skips_;
  std::vector<Damage> skipped_;
  std::optional<std::uint64_t> odd_fraction_;
};

// How a segment file begins (docs/segment-files.md), for those who meet one where they look for something else.
inline constexpr std::string_view kSegmentStart("WMSEG\r\n\x1a", 8);

inline bool is_segment_start(std::string_view begin) { return begin.starts_with(kSegmentStart); }

}  // namespace warpmeter::inline packet
