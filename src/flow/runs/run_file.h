// Writes and reads run files (docs/run-files.md).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/files/temp_file.h"
#include "core/partial.h"
#include "flow/runs/cursors.h"

namespace warpmeter::inline flow {

inline constexpr std::uint64_t kRunMagic = 0x1a0a0d4e55524d57;  // "WMRUN\r\n\x1a"
inline constexpr std::uint16_t kRunVersion = 6;

// Partials that are read, and have a checksum, together; 29 KiB. Many runs are read at once, so not more.
inline constexpr std::uint64_t kRunBlock = 128;

struct RunHeader {
  std::uint64_t magic;
  std::uint16_t version;
  std::uint16_t order;  // number of the order (docs/run-files.md)
  std::uint32_t partial_bytes;
  std::uint64_t count;
  std::uint64_t checksum;  // of the checksums of the blocks
};
static_assert(sizeof(RunHeader) == 32);

// XXH3, 64 bits, seed 0.
std::uint64_t checksum_of(const void* data, std::size_t bytes);

// Partials must come in `order`. Memory: a block, and 8 bytes for each that was written.
class RunWriter {
 public:
  RunWriter(const std::string& folder, RecordOrder order);
  void write(const Partial& partial);
  // Writes checksums and header. The file may be read from here on.
  std::unique_ptr<TempFile> finish();

 private:
  void flush();

  std::unique_ptr<TempFile> file_;
  const RecordOrder order_;
  std::vector<Partial> block_;
  std::vector<std::uint64_t> checksums_;
  std::uint64_t count_ = 0;
};

// A finished run file. Throws Error if it is not one, or not one of this version.
//
// Threads: any, once it is there.
class RunFile {
 public:
  explicit RunFile(std::unique_ptr<TempFile> file);

  std::uint64_t size() const { return header_.count; }  // partials
  RecordOrder order() const { return order_; }

  // Partial `i`; its checksum is not looked at.
  Partial at(std::uint64_t i) const;
  // The partials of block `number`, which replace what is in `block`. Throws Error if they were damaged.
  void read_block(std::uint64_t number, std::vector<Partial>& block) const;

 private:
  void read_checksums();

  const std::unique_ptr<const TempFile> file_;
  RunHeader header_{};
  RecordOrder order_;
  std::vector<std::uint64_t> checksums_;
};

// Partials `begin` to `end` of a run file. Throws Error if they are damaged. Memory: a block.
class RunReader : public PartialCursor {
 public:
  RunReader(std::shared_ptr<const RunFile> file, std::uint64_t begin, std::uint64_t end);
  void advance() override;

 private:
  void show();

  const std::shared_ptr<const RunFile> file_;
  std::uint64_t at_;
  const std::uint64_t end_;
  std::vector<Partial> block_;  // the one that holds at_
  Partial last_;                // of the block before
};

}  // namespace warpmeter::inline flow
