#include "packet/nic/xdp/xdp_socket.h"

#include <sys/mman.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <new>
#include <system_error>
#include <thread>

namespace warpmeter::inline packet {
namespace {

constexpr std::size_t kHugePage = 2 << 20;

}  // namespace

// Touched here, before the kernel pins it, by the thread that is to read it: so it is near to that one.
FrameMemory::FrameMemory(std::size_t chunks, std::size_t chunk) : chunks_(chunks), chunk_(chunk) {
  mapped_ = mmap(nullptr, bytes() + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped_ == MAP_FAILED) throw std::bad_alloc();
  void* begin = mapped_;
  std::size_t left = bytes() + kHugePage;
  std::align(kHugePage, bytes(), begin, left);
  begin_ = static_cast<std::uint8_t*>(begin);
  madvise(begin_, bytes(), MADV_HUGEPAGE);  // without, it is only slower
  std::memset(begin_, 0, bytes());
}

FrameMemory::~FrameMemory() { munmap(mapped_, bytes() + kHugePage); }

namespace {

constexpr int kSolXdp = 283;                       // SOL_XDP
constexpr std::uint16_t kFragments = 1 << 4;       // XDP_USE_SG, Linux 6.6
constexpr std::uint32_t kLeastCompletions = 64;    // of a ring for sending, which must be there
constexpr std::chrono::milliseconds kBetween{20};  // tries to bind
constexpr std::chrono::seconds kPatience{1};

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

template <class Value>
void set(int fd, int option, const Value& value, const char* what) {
  if (setsockopt(fd, kSolXdp, option, &value, sizeof value) != 0) fail(what);
}

template <class Value>
Value get(int fd, int option, const char* what) {
  Value value{};
  socklen_t size = sizeof value;
  if (getsockopt(fd, kSolXdp, option, &value, &size) != 0) fail(what);
  return value;
}

template <class Entry>
XdpQueue<Entry> mapped_queue(int fd, const xdp_ring_offset& where, std::uint64_t page_offset, std::uint32_t size) {
  const std::size_t bytes = where.desc + size * sizeof(Entry);
  void* const at =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, static_cast<off_t>(page_offset));
  if (at == MAP_FAILED) fail("a ring of AF_XDP cannot be mapped");
  auto* const begin = static_cast<std::uint8_t*>(at);
  return {.producer = reinterpret_cast<std::uint32_t*>(begin + where.producer),
          .consumer = reinterpret_cast<std::uint32_t*>(begin + where.consumer),
          .flags = reinterpret_cast<std::uint32_t*>(begin + where.flags),
          .entries = reinterpret_cast<Entry*>(begin + where.desc),
          .mask = size - 1,
          .mapped = at,
          .mapped_bytes = bytes};
}

template <class Entry>
void unmap_queue(const XdpQueue<Entry>& queue) {
  if (queue.mapped) munmap(queue.mapped, queue.mapped_bytes);
}

}  // namespace

XdpSocket::XdpSocket(const FrameMemory& memory, const XdpSocketPlace& place)
    : socket_(socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0)) {
  if (!socket_) fail("no AF_XDP socket");
  try {
    register_memory(memory);
    // Each chunk has an entry in both, so that neither is ever full.
    make_queues(static_cast<std::uint32_t>(std::bit_ceil(memory.chunks())));
    for (std::size_t chunk = 0; chunk < memory.chunks(); ++chunk) give(chunk * memory.chunk());
    publish();
    bind_to(place);
  } catch (...) {
    unmap();
    throw;
  }
}

XdpSocket::~XdpSocket() { unmap(); }

void XdpSocket::unmap() {
  unmap_queue(received_);
  unmap_queue(free_);
}

void XdpSocket::register_memory(const FrameMemory& memory) {
  xdp_umem_reg request{};
  request.addr = reinterpret_cast<std::uintptr_t>(memory.at(0));
  request.len = memory.bytes();
  request.chunk_size = static_cast<std::uint32_t>(memory.chunk());
  request.headroom = FrameMemory::kHeadroom;
  set(fd(), XDP_UMEM_REG, request, "no memory for frames");
}

void XdpSocket::make_queues(std::uint32_t size) {
  set(fd(), XDP_UMEM_FILL_RING, size, "no ring of AF_XDP");
  set(fd(), XDP_UMEM_COMPLETION_RING, kLeastCompletions, "no ring of AF_XDP");
  set(fd(), XDP_RX_RING, size, "no ring of AF_XDP");
  const auto where = get<xdp_mmap_offsets>(fd(), XDP_MMAP_OFFSETS, "no ring of AF_XDP");
  received_ = mapped_queue<xdp_desc>(fd(), where.rx, XDP_PGOFF_RX_RING, size);
  free_ = mapped_queue<std::uint64_t>(fd(), where.fr, XDP_UMEM_PGOFF_FILL_RING, size);
}

// Without a word about it the kernel copies no frames where the driver can do without. A queue whose socket was closed
// just now is free a little later.
void XdpSocket::bind_to(const XdpSocketPlace& place) {
  sockaddr_xdp address{};
  address.sxdp_family = AF_XDP;
  address.sxdp_ifindex = static_cast<std::uint32_t>(place.interface);
  address.sxdp_queue_id = place.queue;
  address.sxdp_flags = static_cast<std::uint16_t>(XDP_USE_NEED_WAKEUP | (place.fragments ? kFragments : 0));
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (bind(fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    if (errno != EBUSY || std::chrono::steady_clock::now() > until) fail("no AF_XDP for this queue");
    std::this_thread::sleep_for(kBetween);
  }
  fragments_ = place.fragments;
  zero_copy_ = get<xdp_options>(fd(), XDP_OPTIONS, "no AF_XDP").flags & XDP_OPTIONS_ZEROCOPY;
}

std::uint32_t XdpSocket::available() {
  return std::atomic_ref(*received_.producer).load(std::memory_order_acquire) - taken_;
}

void XdpSocket::take(std::uint32_t count) {
  taken_ += count;
  std::atomic_ref(*received_.consumer).store(taken_, std::memory_order_release);
}

// A driver that has stopped for want of chunks says that it wants to be told of new ones. If it says so only just now,
// this may not see it, on any CPU: then the next poll(2) tells it.
void XdpSocket::publish() {
  std::atomic_ref(*free_.producer).store(given_, std::memory_order_release);
  if (std::atomic_ref(*free_.flags).load(std::memory_order_relaxed) & XDP_RING_NEED_WAKEUP) {
    recvfrom(fd(), nullptr, 0, MSG_DONTWAIT, nullptr, nullptr);
  }
}

// By any thread: with what was taken it sees what had come before that, so that the producer is not behind.
std::uint32_t XdpSocket::waiting() const {
  const std::uint32_t consumer = std::atomic_ref(*received_.consumer).load(std::memory_order_acquire);
  return std::atomic_ref(*received_.producer).load(std::memory_order_relaxed) - consumer;
}

// rx_fill_ring_empty_descs is no other loss: where the kernel copies, rx_dropped has those, and besides them only
// frames that are too long. Drivers that do not copy count each time that they look for a chunk.
XdpLosses XdpSocket::lost() const {
  xdp_statistics statistics{};
  socklen_t size = sizeof statistics;
  if (getsockopt(fd(), kSolXdp, XDP_STATISTICS, &statistics, &size) != 0) return {};
  const std::uint64_t dropped = statistics.rx_dropped;
  const bool is_told = !zero_copy_ && !fragments_;
  const std::uint64_t no_chunk =
      is_told ? std::min<std::uint64_t>(dropped, statistics.rx_fill_ring_empty_descs) : dropped;
  return {.full = no_chunk + statistics.rx_ring_full, .too_long = dropped - no_chunk};
}

}  // namespace warpmeter::inline packet
