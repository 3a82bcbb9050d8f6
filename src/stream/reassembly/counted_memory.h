// Memory that is counted, and where it comes from: what is large, from the system by itself, to which it goes back at
// once. A heap may keep it, and no number tells.
//
// Threads: SystemMemory any; CountedMemory one owner.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <memory_resource>
#include <new>

namespace warpmeter::inline stream {

class SystemMemory : public std::pmr::memory_resource {
 public:
  static SystemMemory& get() {
    static SystemMemory memory;
    return memory;
  }

 private:
  static constexpr std::size_t kLarge = 64 << 10;

  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (bytes < kLarge) return std::pmr::new_delete_resource()->allocate(bytes, alignment);
    void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    return mapped;
  }
  void do_deallocate(void* place, std::size_t bytes, std::size_t alignment) override {
    if (bytes < kLarge) std::pmr::new_delete_resource()->deallocate(place, bytes, alignment);
    else munmap(place, bytes);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

// A vector gives its room back. `v = {}` would keep it: that takes over an empty list of values.
template <class Vector>
void give_room_back(Vector& vector) {
  Vector(vector.get_allocator()).swap(vector);
}

// Of another resource, which must outlive it.
class CountedMemory : public std::pmr::memory_resource {
 public:
  explicit CountedMemory(std::pmr::memory_resource& from) : from_(from) {}

  std::size_t bytes() const { return bytes_; }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    void* const place = from_.allocate(bytes, alignment);
    bytes_ += bytes;
    return place;
  }
  void do_deallocate(void* place, std::size_t bytes, std::size_t alignment) override {
    from_.deallocate(place, bytes, alignment);
    bytes_ -= bytes;
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  std::pmr::memory_resource& from_;
  std::size_t bytes_ = 0;
};

}  // namespace warpmeter::inline stream
