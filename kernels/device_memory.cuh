// What the engine has of a device: arrays in its memory, owned by whoever made them, and queues of work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace warpmeter {

// The three queues of work on a device: things in one queue happen in order, those in different ones at the same time.
// CUDA calls a queue a stream.
enum class Queue { in, compute, out };
inline constexpr int kQueues = 3;

// What a sort reads, and leaves as it is, and where it puts that in order of the keys.
struct PairsToSort {
  const std::uint32_t* key;
  const std::uint32_t* value;
  std::uint32_t* sorted_key;
  std::uint32_t* sorted_value;
};

template <class Device, class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  // Throws DeviceError if there is not so much memory. Contents are undefined.
  DeviceArray(Device& device, std::size_t count)
      : device_(&device), data_(count ? static_cast<T*>(device.allocate(count * sizeof(T))) : nullptr), count_(count) {}
  DeviceArray(DeviceArray&& other) noexcept { *this = std::move(other); }
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~DeviceArray() {
    if (data_) device_->release(data_);
  }

  T* data() const { return data_; }
  std::size_t count() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(T); }

 private:
  Device* device_ = nullptr;
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace warpmeter
