// Words in the memory of a resource that are not written before somebody does. The resource outlives them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <utility>

namespace warpmeter {

class UnwrittenWords {
 public:
  UnwrittenWords(std::size_t count, std::pmr::memory_resource& memory)
      : count_(count),
        memory_(&memory),
        data_(static_cast<std::uint64_t*>(memory.allocate(count * sizeof(std::uint64_t), alignof(std::uint64_t)))) {}
  UnwrittenWords(UnwrittenWords&& other) noexcept
      : count_(other.count_), memory_(other.memory_), data_(std::exchange(other.data_, nullptr)) {}
  UnwrittenWords(const UnwrittenWords&) = delete;
  UnwrittenWords& operator=(const UnwrittenWords&) = delete;
  ~UnwrittenWords() {
    if (data_) memory_->deallocate(data_, count_ * sizeof(std::uint64_t), alignof(std::uint64_t));
  }

  std::uint64_t* data() const { return data_; }

 private:
  std::size_t count_;
  std::pmr::memory_resource* memory_;
  std::uint64_t* data_;
};

}  // namespace warpmeter
