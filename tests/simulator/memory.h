// Memory of a GPU, and of the host where a GPU may read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

namespace cuda_machine {

class Shadow;      // shadow.h: who last accessed which byte, for the race check
class WorkShadow;  // stream_races.h: which work of streams did

// One allocation. A device address is none of the host's, so that the host cannot read it by mistake; that of pinned
// host memory is the host's.
class Allocation {
 public:
  // Device memory with contents that nobody can count on, and nothing written.
  Allocation(std::uint64_t address, std::size_t bytes);
  // Pinned host memory at `host`, which somebody else owns.
  Allocation(std::uint8_t* host, std::size_t bytes);
  ~Allocation();
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;

  std::uint64_t address() const { return address_; }
  std::size_t bytes() const { return bytes_; }
  bool has(std::uint64_t address, std::size_t bytes) const {
    return address >= address_ && address - address_ <= bytes_ && bytes <= bytes_ - (address - address_);
  }

  std::uint8_t* at(std::uint64_t address) { return data_ + (address - address_); }
  // A byte for each: 1, somebody wrote it. Null of pinned memory and where nobody checks.
  std::uint8_t* written(std::uint64_t address) { return written_ ? written_ + (address - address_) : nullptr; }
  // Null where races are not checked.
  Shadow* shadow() { return shadow_.get(); }
  WorkShadow* work_shadow() { return work_shadow_.get(); }

 private:
  std::uint64_t address_ = 0;
  std::size_t bytes_ = 0;
  std::uint8_t* data_ = nullptr;
  std::uint8_t* written_ = nullptr;
  bool owns_ = false;
  std::unique_ptr<Shadow> shadow_;
  std::unique_ptr<WorkShadow> work_shadow_;
};

// All allocations of one GPU, or all pinned ones. Under the lock of the runtime.
class AddressSpace {
 public:
  // The allocation in which the address lies, or null.
  Allocation* find(std::uint64_t address) const;
  // One has some of these bytes.
  bool any_in(std::uint64_t address, std::size_t bytes) const;
  Allocation& add(std::unique_ptr<Allocation> allocation);
  // False: no allocation begins there.
  bool remove(std::uint64_t address);
  std::size_t count() const { return allocations_.size(); }

 private:
  std::map<std::uint64_t, std::unique_ptr<Allocation>> allocations_;  // by address
};

}  // namespace cuda_machine
