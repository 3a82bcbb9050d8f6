// Memory for holes: their share of the flow memory, and beyond that a file in the folder for temporary data. Which
// holes lie where depends on the order in which threads come; no output does.
//
// Threads: any. Given back all together at the end, never before.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/files/temp_file.h"
#include "core/options.h"
#include "core/thread_annotations.h"
#include "flow/meter/huge_pages.h"

namespace warpmeter::inline pipeline {

// Bytes, at least what a few holes of every shard take.
std::uint64_t hole_memory_of(const MeterOptions& options);

class HoleMemory : public std::pmr::memory_resource {
 public:
  HoleMemory(std::uint64_t limit, const std::string& tmpdir) : limit_(limit), tmpdir_(tmpdir) {}
  ~HoleMemory() override;
  HoleMemory(const HoleMemory&) = delete;
  HoleMemory& operator=(const HoleMemory&) = delete;

  // When nobody allocates any more.
  std::uint64_t in_file() const { return mapped_.size() * kRegion; }

 private:
  static constexpr std::size_t kRegion = 16 << 20;

  // Throws Error if the file cannot grow. REQUIRES: bytes <= kRegion.
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void*, std::size_t, std::size_t) override {}
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  const std::uint64_t limit_;
  const std::string tmpdir_;
  std::mutex mutex_;
  std::uint64_t used_ WARPMETER_GUARDED_BY(mutex_) = 0;
  HugePages memory_;
  std::optional<TempFile> file_ WARPMETER_GUARDED_BY(mutex_);
  std::vector<void*> mapped_ WARPMETER_GUARDED_BY(mutex_);  // regions of the file
  void* free_ WARPMETER_GUARDED_BY(mutex_) = nullptr;       // in the latest of them
  std::size_t room_ WARPMETER_GUARDED_BY(mutex_) = 0;       // there
};

}  // namespace warpmeter::inline pipeline
