// Memory in huge pages, for tables that are read everywhere at once: with small pages, finding out where a page lies
// costs as much as the access itself: a run with 200,000 flows at once takes 42 % longer. Given back all together at
// the end, never before. Where the system has no huge pages to give, these are small ones.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <mutex>
#include <vector>

#include "core/thread_annotations.h"

namespace warpmeter::inline flow {

class HugePages : public std::pmr::memory_resource {
 public:
  HugePages() = default;
  ~HugePages() override;
  HugePages(const HugePages&) = delete;
  HugePages& operator=(const HugePages&) = delete;

 private:
  struct Region {
    void* mapped;
    std::size_t bytes;
  };

  // Throws std::bad_alloc.
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void*, std::size_t, std::size_t) override {}
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
  void add_region(std::size_t room);  // REQUIRES: mutex_ is held.

  std::mutex mutex_;
  std::vector<Region> regions_ WARPMETER_GUARDED_BY(mutex_);
  std::byte* free_ WARPMETER_GUARDED_BY(mutex_) = nullptr;  // in the latest region
  std::size_t room_ WARPMETER_GUARDED_BY(mutex_) = 0;       // there
};

}  // namespace warpmeter::inline flow
