// Brings what is written of connections into their order: bytes come as they come, and go out connection by connection.
//
// It is one sequence of fragments, each of which knows the one before of its connection. Beyond the buffer it lies in a
// file without a name, which takes as much room as all that was written. In memory are the buffer, in its place some
// pages of the file when it is read, 16 bytes for each of at most `indexed` connections that have ended, 16 for so many
// of them in the file, and 16 for some thousand fragments of the connection that is read.
//
// Threads: one at a time. Errors: Error, naming the folder of the file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/files/temp_file.h"
#include "base/merge/merge_heap.h"
#include "command/reassemble/stream_record.h"
#include "core/byte_sink.h"
#include "warpmeter/tcp_stream.h"

namespace warpmeter::inline command {

// The bytes of a file that is complete, for who reads a little here and a little there: few small pages of it are in
// memory, so that a file of any size takes as little as a small one.
class SpoolWindow {
 public:
  // `file` must outlive it, and not grow.
  SpoolWindow(const TempFile& file, std::uint64_t bytes);

  // REQUIRES: these lie in the file.
  void read(void* to, std::size_t bytes, std::uint64_t place);
  void copy(std::uint64_t place, std::uint64_t bytes, ByteSink& to);

 private:
  static constexpr std::size_t kPage = 4 << 10, kPages = 32;
  static constexpr std::size_t kLarge = 2 * kPage, kDirect = 64 << 10;  // so much is read past the pages, at once
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  const char* page(std::uint64_t number);
  void fetch(char* to, std::size_t bytes, std::uint64_t place) const;

  const TempFile& file_;
  const std::uint64_t bytes_;
  const std::unique_ptr<char[]> pages_;  // one behind the other
  const std::unique_ptr<char[]> direct_;
  std::array<std::uint64_t, kPages> numbers_;  // of each the page of the file that it has, or kNone
};

// Numbers rise in the order of the packets that made connections known.
inline std::uint64_t place_in_order(const TcpConnection& connection) {
  return std::uint64_t{connection.opened_packet} << 16 | connection.opened_in_frame;
}

struct SpooledConnection {
  std::uint64_t number = 0;  // they are in its order
  std::uint64_t chain = 0;
};

struct SpoolLimits {
  std::size_t buffer = 256 << 10;  // bytes, before there is a file
  std::size_t indexed = 1 << 14;   // connections
  std::size_t listed = 1 << 13;    // fragments of a connection that is read
};

class StreamSpool final : public ConnectionBytes {
 public:
  explicit StreamSpool(std::string tmpdir, SpoolLimits limits = {});
  StreamSpool(const StreamSpool&) = delete;
  StreamSpool& operator=(const StreamSpool&) = delete;

  void begin(std::uint64_t& chain, std::uint64_t bytes) override;
  // As a fragment of its own, whatever came before.
  void begin_apart(std::uint64_t& chain, std::uint64_t bytes);
  void write(const void* bytes, std::size_t count) override;
  void end(std::uint64_t number, std::uint64_t chain) override;

  // Nothing is written after it.
  void finish();

  // After finish(). Connections that have ended are in runs, each sorted.
  std::size_t runs() const { return runs_.size(); }
  std::uint64_t connections_in(std::size_t run) const { return runs_[run].count; }
  // Those from number `first` of the run on. REQUIRES: there are so many.
  void read_run(std::size_t run, std::uint64_t first, std::span<SpooledConnection> connections);

  // After finish(). All fragments of a chain, in order.
  void give(std::uint64_t chain, ByteSink& to);
  // Only the last, which there is; returns the chain of those before it.
  std::uint64_t give_last(std::uint64_t chain, ByteSink& to);

 private:
  struct Fragment {
    std::uint64_t before = 0;  // a chain; 0: it is the first
    std::uint64_t bytes = 0;   // that follow
  };
  struct Run {
    std::uint64_t at, count;
  };
  struct Place {
    std::uint64_t at, bytes;
  };

  std::uint64_t size() const { return flushed_ + fill_; }
  void flush();
  void write_index();
  void read(void* to, std::size_t bytes, std::uint64_t place);
  std::uint64_t list(std::uint64_t chain);
  void give_listed(ByteSink& to);

  const std::string tmpdir_;
  const SpoolLimits limits_;
  std::unique_ptr<char[]> buffer_;  // none once a file is read
  std::size_t fill_ = 0;
  std::uint64_t flushed_ = 0;  // bytes in the file
  std::uint64_t last_ = 0;     // chain of the last fragment; 0: nothing may be added to it
  std::unique_ptr<TempFile> file_;
  std::unique_ptr<SpoolWindow> window_;   // of the file
  std::vector<SpooledConnection> index_;  // in no run but, when it is finished, the last
  std::vector<Run> runs_;
  std::vector<Place> listed_;  // fragments, the latest first
};

// All connections of several spools, one after the other by their numbers.
class SpooledOrder {
 public:
  // REQUIRES: these have been finished, and outlive it.
  explicit SpooledOrder(std::span<const std::unique_ptr<StreamSpool>> spools);

  struct Next {
    StreamSpool* spool = nullptr;
    std::uint64_t chain = 0;
  };
  // The next connection; false if there is none.
  bool next(Next& connection);

 private:
  // Connections of a run, some at a time.
  struct Cursor {
    StreamSpool* spool;
    std::size_t run;
    std::uint64_t read;                   // of the run, so far
    std::vector<SpooledConnection> some;  // not empty
    std::size_t at;                       // the next of these
    const SpooledConnection& first() const { return some[at]; }
  };
  static constexpr std::uint64_t kSome = 64;
  struct Before {
    bool operator()(const Cursor& a, const Cursor& b) const { return a.first().number < b.first().number; }
  };
  static bool refill(Cursor& cursor);

  MergeHeap<Cursor, Before> heap_;
};

}  // namespace warpmeter::inline command
