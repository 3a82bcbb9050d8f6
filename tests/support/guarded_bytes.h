// Bytes that end where readable memory ends: to read one too many is a fault, with or without a sanitizer.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>

namespace warpmeter::test {

class GuardedBytes {
 public:
  explicit GuardedBytes(std::size_t most) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    readable_ = (most + page - 1) / page * page;
    mapped_ = readable_ + page;
    void* memory = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("no memory for guarded bytes");
    begin_ = static_cast<std::uint8_t*>(memory);
    if (mprotect(begin_ + readable_, page, PROT_NONE) != 0) throw std::runtime_error("no guard page");
  }
  ~GuardedBytes() { munmap(begin_, mapped_); }
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;

  // Where a copy of `bytes` lies until the next call. REQUIRES: no more than `most`.
  const std::uint8_t* hold(std::span<const std::uint8_t> bytes) {
    std::uint8_t* at = begin_ + readable_ - bytes.size();
    std::copy(bytes.begin(), bytes.end(), at);
    return at;
  }

 private:
  std::uint8_t* begin_ = nullptr;
  std::size_t readable_ = 0;
  std::size_t mapped_ = 0;
};

}  // namespace warpmeter::test
