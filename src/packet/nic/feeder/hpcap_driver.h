// What is asked of HP-CAP's driver for one queue of a card, /dev/hpcap_ADAPTER_QUEUE: a buffer that it fills, mapped
// into this process, and one call that gives bytes back to it and tells what is there. Tests have a device of their
// own, since nothing but a driver answers ioctls.
//
// Source: what its published sources define: numbers of ioctls, the structures that they fill, and the statistics of
// its interface hpcapADAPTER (ethtool -S).
//
// Threads: one at a time, but lost() by any.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace warpmeter::inline packet {

// The buffer: what goes beyond its end goes on at its beginning.
struct HpcapBuffer {
  const std::uint8_t* at = nullptr;
  std::uint64_t bytes = 0;
};

struct HpcapAvailable {
  std::uint64_t offset = 0;  // in the buffer, of what was not given back yet
  std::uint64_t bytes = 0;   // from there on
};

// Where the driver writes next. It fills files of 2 GiB: with padding where the next record would cross their end.
struct HpcapPlace {
  std::uint64_t offset = 0;       // in the buffer
  std::uint64_t file_offset = 0;  // in the file
};

class HpcapDevice {
 public:
  HpcapDevice() = default;
  virtual ~HpcapDevice() = default;
  HpcapDevice(const HpcapDevice&) = delete;
  HpcapDevice& operator=(const HpcapDevice&) = delete;

  virtual HpcapBuffer map() const = 0;  // stays where it is

  // Gives `ack` bytes back, and says what is there now; does not wait. Throws Error, without a name: nothing will come
  // any more.
  virtual HpcapAvailable ack_wait(std::uint64_t ack) = 0;
  virtual HpcapPlace place() = 0;

  // Frames of the whole card that the driver says it lost, since the machine started. It does not see all of them.
  virtual std::uint64_t lost() const = 0;
};

// All queues of an adapter, one or more. Throws Error with one line: there is no such device, no right, no driver.
std::vector<std::unique_ptr<HpcapDevice>> open_hpcap_driver(unsigned adapter);

// What the driver of a network interface counts under names of its own, as `ethtool -S` shows it: the sum of those that
// are called so. Any thread. 0 where there is none, or no such interface.
std::uint64_t driver_statistics_sum(const std::string& interface, std::initializer_list<std::string_view> names);

}  // namespace warpmeter::inline packet
