#include "packet/nic/feeder/hpcap_driver.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/ethtool.h>
#include <linux/if.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "base/files/descriptor.h"
#include "core/byte_order.h"
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
  HpcapDriver(Descriptor fd, unsigned adapter) : fd_(std::move(fd)), interface_("hpcap" + std::to_string(adapter)) {
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
    Descriptor huge;
    if (info.is_huge) huge.reset(open(info.file_name, O_RDONLY | O_CLOEXEC));
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

  const Descriptor fd_;
  const std::string interface_;
  std::shared_ptr<std::uint8_t> mapped_;
  std::uint64_t offset_ = 0, bytes_ = 0;
};

}  // namespace

std::vector<std::unique_ptr<HpcapDevice>> open_hpcap_driver(unsigned adapter) {
  std::vector<std::unique_ptr<HpcapDevice>> queues;
  for (unsigned queue = 0; queue < kMostQueues; ++queue) {
    const std::string path = fmt::format("/dev/hpcap_{}_{}", adapter, queue);
    Descriptor fd(open(path.c_str(), O_RDWR | O_CLOEXEC));
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

namespace {

constexpr std::uint32_t kMostStatistics = 65'536;

bool ask_ethtool(int fd, const std::string& interface, void* request) {
  ifreq who{};
  std::memcpy(who.ifr_name, interface.data(), std::min(interface.size(), sizeof who.ifr_name - 1));
  who.ifr_data = static_cast<char*>(request);
  return ioctl(fd, SIOCETHTOOL, &who) == 0;
}

std::uint32_t count_of(int fd, const std::string& interface) {
  alignas(ethtool_sset_info) std::uint8_t request[sizeof(ethtool_sset_info) + sizeof(std::uint32_t)] = {};
  auto* const info = reinterpret_cast<ethtool_sset_info*>(request);
  info->cmd = ETHTOOL_GSSET_INFO;
  info->sset_mask = std::uint64_t{1} << ETH_SS_STATS;
  if (!ask_ethtool(fd, interface, request) || info->sset_mask == 0) return 0;
  return std::min(load<std::uint32_t>(request + sizeof(ethtool_sset_info)), kMostStatistics);
}

std::uint64_t sum_of(int fd, const std::string& interface, std::initializer_list<std::string_view> names) {
  const std::uint32_t count = count_of(fd, interface);
  if (count == 0) return 0;
  std::vector<std::uint64_t> text((sizeof(ethtool_gstrings) + std::size_t{count} * ETH_GSTRING_LEN + 7) / 8);
  auto* const strings = reinterpret_cast<ethtool_gstrings*>(text.data());
  strings->cmd = ETHTOOL_GSTRINGS;
  strings->string_set = ETH_SS_STATS;
  strings->len = count;
  std::vector<std::uint64_t> numbers(sizeof(ethtool_stats) / 8 + count);
  auto* const statistics = reinterpret_cast<ethtool_stats*>(numbers.data());
  statistics->cmd = ETHTOOL_GSTATS;
  statistics->n_stats = count;
  if (!ask_ethtool(fd, interface, strings) || !ask_ethtool(fd, interface, statistics)) return 0;
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < std::min({count, strings->len, statistics->n_stats}); ++i) {
    const char* const name = reinterpret_cast<const char*>(text.data()) + sizeof *strings + i * ETH_GSTRING_LEN;
    const std::string_view called(name, strnlen(name, ETH_GSTRING_LEN));
    if (std::ranges::find(names, called) != names.end()) sum += numbers[sizeof *statistics / 8 + i];
  }
  return sum;
}

}  // namespace

std::uint64_t driver_statistics_sum(const std::string& interface, std::initializer_list<std::string_view> names) {
  const Descriptor asked(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  return asked ? sum_of(asked.get(), interface, names) : 0;
}

}  // namespace warpmeter::inline packet
