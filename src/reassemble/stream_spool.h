// Brings what is written of connections into their order: bytes come as they come, and go out connection by connection.
//
// It is one sequence of fragments, each of which knows the one before of its connection. Beyond the buffer it lies in a
// file without a name, which takes as much room as all that was written, and is mapped to be read. In memory are the
// buffer, 16 bytes for each of at most `indexed` connections that have ended, and 16 for so many of them in the file.
//
// Threads: one at a time. Errors: Error, naming the folder of the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reassemble/connection_bytes.h"
#include "run/temp_file.h"

namespace warpmeter {

struct SpooledConnection {
  std::uint64_t number = 0;  // they are in its order
  std::uint64_t chain = 0;
};

struct SpoolLimits {
  std::size_t buffer = 1 << 20;   // bytes, before there is a file
  std::size_t indexed = 1 << 16;  // connections
};

class StreamSpool final : public ConnectionBytes {
 public:
  explicit StreamSpool(std::string tmpdir, SpoolLimits limits = {});
  ~StreamSpool() override;
  StreamSpool(const StreamSpool&) = delete;
  StreamSpool& operator=(const StreamSpool&) = delete;

  void begin(std::uint64_t& chain, std::uint64_t bytes) override;
  // As a fragment of its own, whatever came before.
  void begin_apart(std::uint64_t& chain, std::uint64_t bytes);
  void write(const void* bytes, std::size_t count) override;
  void end(std::uint64_t number, std::uint64_t chain) override;

  // Nothing is written after it.
  void finish();

  // After finish(). Sorted ranges, which stay where they are.
  std::span<const std::span<const SpooledConnection>> runs() const { return runs_; }
  // The fragments of a chain, in order, in place of what is in `fragments`. They stay where they are.
  void fragments_of(std::uint64_t chain, std::vector<std::string_view>& fragments) const;

 private:
  struct Fragment {
    std::uint64_t before = 0;  // a chain; 0: it is the first
    std::uint64_t bytes = 0;   // that follow
  };
  struct Run {
    std::uint64_t at, count;
  };

  std::uint64_t size() const { return flushed_ + fill_; }
  void flush();
  void write_index();
  const char* at(std::uint64_t place) const { return mapped_ ? mapped_ + place : buffer_.get() + place; }

  const std::string tmpdir_;
  const SpoolLimits limits_;
  const std::unique_ptr<char[]> buffer_;
  std::size_t fill_ = 0;
  std::uint64_t flushed_ = 0;  // bytes in the file
  std::uint64_t last_ = 0;     // chain of the last fragment; 0: nothing may be added to it
  std::unique_ptr<TempFile> file_;
  const char* mapped_ = nullptr;
  std::size_t mapped_bytes_ = 0;
  std::vector<SpooledConnection> index_;  // not in the file
  std::vector<Run> in_file_;
  std::vector<std::span<const SpooledConnection>> runs_;
};

}  // namespace warpmeter
