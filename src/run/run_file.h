// Writes and reads run files (FORMAT.md).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "run/run_cursor.h"
#include "run/temp_file.h"
#include "warpmeter/flow_record.h"

namespace warpmeter {

inline constexpr std::uint64_t kRunMagic = 0x1a0a0d4e55524d57;  // "WMRUN\r\n\x1a"
inline constexpr std::uint16_t kRunVersion = 1;

struct RunHeader {
  std::uint64_t magic;
  std::uint16_t version;
  std::uint16_t order;  // number of the order (FORMAT.md)
  std::uint32_t partial_bytes;
  std::uint64_t count;
  std::uint64_t checksum;
};
static_assert(sizeof(RunHeader) == 32);

// XXH3 of what was added so far.
class Checksum {
 public:
  Checksum();
  ~Checksum();
  void add(const void* data, std::size_t bytes);
  std::uint64_t value() const;

 private:
  struct State;  // the library's, kept out of this header
  std::unique_ptr<State> state_;
};

// Partials must come in `order`. Memory: `buffered` partials.
class RunWriter {
 public:
  RunWriter(const std::string& folder, std::size_t buffered, RecordOrder order);
  void write(const FlowRecord& partial);
  // Writes the header. The file may be read from here on.
  std::unique_ptr<TempFile> finish();

 private:
  void flush();

  std::unique_ptr<TempFile> file_;
  std::vector<FlowRecord> buffer_;
  const std::size_t buffered_;
  const RecordOrder order_;
  Checksum checksum_;
  std::uint64_t count_ = 0;
};

// Throws Error if the file is not a run, not in its order or damaged. Memory: `buffered` partials.
class RunReader : public RunCursor {
 public:
  RunReader(std::unique_ptr<TempFile> file, std::size_t buffered);
  void advance() override;

 private:
  void fill();

  const std::unique_ptr<TempFile> file_;
  RunHeader header_{};
  RecordOrder order_;
  std::vector<FlowRecord> buffer_;
  std::size_t at_ = 0;
  std::uint64_t read_ = 0;
  Checksum checksum_;
};

}  // namespace warpmeter
