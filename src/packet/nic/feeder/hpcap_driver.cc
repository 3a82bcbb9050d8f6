#include "packet/nic/feeder/hpcap_driver.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/byte_order.h"
#include "packet/nic/feeder/driver_statistics.h"
#include "packet/nic/feeder/feeder_socket.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {
namespace {

constexpr unsigned kMostQueues = 16;
constexpr unsigned long kListenerOperation = 0xC0084601, kBufferInfo = 0x80084605, kStatusInfo = 0x8008460A;

struct ListenerOperation {
  std::uint64_t ack_bytes, expect_bytes, available_bytes, read_offset, write_offset, timeout_ns;
};

struct BufferInfo {
  void* address;
  std::uint64_t size, offset;
  char file_name[256];
  std::int16_t is_huge;
};
static_assert(sizeof(BufferInfo) == 288);

// Of 976 bytes: where the two numbers are that are looked at.
constexpr std::size_t kStatusBytes = 976, kStatusFileOffset = 944, kStatusWriteOffset = 960;

class HpcapDriver : public HpcapDevice {
 public:
  HpcapDriver(FeederDescriptor fd, unsigned adapter)
      : fd_(std::move(fd)), interface_("hpcap" + std::to_string(adapter)) {
    find_buffer();
  }

  HpcapBuffer map() const override { return {mapped_.get() + offset_, bytes_}; }

  // The driver knows of no order but that of calls: what is given back has been read, and what it tells of was written.
  HpcapAvailable ack_wait(std::uint64_t ack) override {
    ListenerOperation operation{.ack_bytes = ack,
                                .expect_bytes = 1,
                                .available_bytes = 0,
                                .read_offset = 0,
                                .write_offset = 0,
                                .timeout_ns = 0};
    __sync_synchronize();  // of std::atomic_thread_fence() ThreadSanitizer's compiler warns
    const int status = ioctl(fd_.get(), kListenerOperation, &operation);
    __sync_synchronize();
    if (status < 0) {
      if (errno == EBADF) throw Error("the driver has ended this listener");
      throw Error(std::string("the driver does not answer: ") + std::strerror(errno));
    }
    return {operation.read_offset, operation.available_bytes};
  }

  HpcapPlace place() override {
    std::array<std::uint8_t, 2 * kStatusBytes> status{};
    if (ioctl(fd_.get(), kStatusInfo, status.data()) < 0) {
      throw Error(std::string("the driver does not tell its state: ") + std::strerror(errno));
    }
    return {load<std::uint64_t>(status.data() + kStatusWriteOffset),
            load<std::uint64_t>(status.data() + kStatusFileOffset)};
  }

  std::uint64_t lost() const override {
    return driver_statistics_sum(interface_, {"rx_hpcap_client_lost_frames", "rx_hpcap_noclient_frames"});
  }

 private:
  // In the memory of the device, or in a file of huge pages.
  void find_buffer() {
    BufferInfo info{};
    if (ioctl(fd_.get(), kBufferInfo, &info) < 0) {
      throw Error(std::string("the driver does not tell of its buffer: ") + std::strerror(errno));
    }
    info.file_name[sizeof info.file_name - 1] = 0;
    FeederDescriptor huge;
    if (info.is_huge) huge = FeederDescriptor(open(info.file_name, O_RDONLY | O_CLOEXEC));
    const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    const std::uint64_t all = info.is_huge ? info.size : (info.size + info.offset + page - 1) / page * page;
    if (info.size == 0 || info.offset >= all || (info.is_huge && !huge))
      throw Error("the driver's buffer is not found");
    void* const at = mmap(nullptr, all, PROT_READ, MAP_SHARED, info.is_huge ? huge.get() : fd_.get(), 0);
    if (at == MAP_FAILED) throw Error(std::string("the driver's buffer cannot be mapped: ") + std::strerror(errno));
    mapped_ = {static_cast<std::uint8_t*>(at), [all](std::uint8_t* mapped) { munmap(mapped, all); }};
    offset_ = info.offset;
    bytes_ = std::min(info.size, all - info.offset);
  }

  const FeederDescriptor fd_;
  const std::string interface_;
  std::shared_ptr<std::uint8_t> mapped_;
  std::uint64_t offset_ = 0, bytes_ = 0;
};

}  // namespace

std::vector<std::unique_ptr<HpcapDevice>> open_hpcap_driver(unsigned adapter) {
  std::vector<std::unique_ptr<HpcapDevice>> queues;
  for (unsigned queue = 0; queue < kMostQueues; ++queue) {
    const std::string path = fmt::format("/dev/hpcap_{}_{}", adapter, queue);
    FeederDescriptor fd(open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (fd) {
      queues.push_back(std::make_unique<HpcapDriver>(std::move(fd), adapter));
      continue;
    }
    if (errno == ENOENT && queue > 0) break;
    if (errno == ENOENT) throw Error("there is no " + path + ": the HP-CAP driver is not loaded for this adapter");
    if (errno == EACCES || errno == EPERM) throw Error("no right to open " + path + ": run it as root");
    throw Error(path + ": " + std::strerror(errno));
  }
  return queues;
}

}  // namespace warpmeter::inline packet
