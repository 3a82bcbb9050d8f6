// Captures that follow each other in one file or pipe (`cat a.pcap b.pcap`, `zcat *.gz |`), as one: where a reader ends
// because another file header begins, the reader of that goes on. Each has its own byte order, link type and unit of
// time. One whose link type is unknown ends the file, as damage.
#pragma once

#include <memory>
#include <string>

#include "packet/file/capture_reader.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {

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

}  // namespace warpmeter::inline packet
