// A source whose frames take as long to read and decode as they would a slower core: the threads that do it sleep for
// the rest. So a few cores play many, where times are stretched.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "null_device.h"
#include "packet/file/packet_source.h"

namespace warpmeter::bench {

class PacedSource : public PacketSource {
 public:
  // `a_frame`: seconds; 0: as fast as it goes.
  PacedSource(std::unique_ptr<PacketSource> source, double a_frame)
      : source_(std::move(source)), reader_(*source_), a_frame_(a_frame) {}

  bool ends() const override { return source_->ends(); }
  bool repeatable() const override { return source_->repeatable(); }
  unsigned own_threads() const override { return source_->own_threads(); }
  std::int64_t watermark_ns() const override { return source_->watermark_ns(); }
  std::uint64_t bytes_in_all() const override { return source_->bytes_in_all(); }
  std::uint64_t packets_in_all() const override { return source_->packets_in_all(); }

  void begin() { begin_ = steady_now(); }
  // As of the moment when a thread found nothing more to read: from then on they are idle for lack of packets.
  double seconds() const { return through_; }    // since begin()
  double decoding() const { return decoding_; }  // of all threads: reading, and what they did until they came again

 protected:
  std::unique_ptr<Chunk> make_chunk() const override { return reader_.make_chunk(); }
  bool claim(Chunk& chunk, const ChunkOptions& options) override {
    const bool more = reader_.claim(chunk, options);
    if (!more) note_end();
    return more;
  }
  bool commit(Chunk& chunk, FileView& view) override { return reader_.commit(chunk, view); }

  // The thread comes again when it has decoded what it got: only then its time is over.
  bool read(Chunk& chunk, FileView& view) override {
    thread_local SteadyTime due, begin;
    sleep_until(due);
    const bool is_first = begin == SteadyTime();
    if (!is_first) busy_.fetch_add((steady_now() - begin).count(), std::memory_order_relaxed);
    begin = steady_now();
    const bool more = reader_.read(chunk, view);
    const std::size_t frames = more ? chunk.block.frames.size() : 0;
    due = begin + Seconds(a_frame_ * static_cast<double>(frames));
    if (is_first && frames == 0) note_end();
    if (!more) begin = SteadyTime();
    return more;
  }

 private:
  void note_end() {
    const std::lock_guard lock(mutex_);
    if (decoding_ > 0) return;  // it may begin with a chunk without frames, too
    through_ = (steady_now() - begin_).count();
    decoding_ = busy_.load(std::memory_order_relaxed);
  }

  const std::unique_ptr<PacketSource> source_;
  const ChunkReader reader_;
  const double a_frame_;
  SteadyTime begin_;
  std::atomic<double> busy_ = 0;
  std::mutex mutex_;  // of what note_end() writes, and others read behind the end
  double through_ = 0, decoding_ = 0;
};

}  // namespace warpmeter::bench
