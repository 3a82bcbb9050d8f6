#include "packet/nic/ring/interface_point.h"

#include "base/words/printable.h"
#include "warpmeter/status.h"

#if WARPMETER_HAVE_PCAP
#include <fmt/format.h>
#include <linux/if_packet.h>
#include <pcap/pcap.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/words/human_units.h"
#include "core/thread_annotations.h"
#include "packet/nic/ring/ring.h"
#include "warpmeter/frame.h"
#include "warpmeter/link_type.h"
#endif

namespace warpmeter::inline packet {

#if WARPMETER_HAVE_PCAP
namespace {

constexpr int kSnap = 256 << 10;
constexpr std::size_t kCopyBlock = 1 << 20, kCopyBlocks = 8;
constexpr std::uint32_t kMostCopied = 8192;  // frames in a block

// libpcap's numbers of what it captures from, which are not in all cases those of files. kUnknownLink: not decoded.
std::uint16_t link_of_handle(int dlt) {
  if (dlt == DLT_RAW) return kLinkRaw;
  return dlt >= 0 && is_known_link(static_cast<std::uint32_t>(dlt)) ? static_cast<std::uint16_t>(dlt) : kUnknownLink;
}

// What lies in a block.
struct StoredFrames {
  std::vector<std::uint8_t> bytes;  // room for all
  std::size_t used = 0;
  std::vector<Frame> frames;
  std::atomic<bool> held = false;

  std::size_t room() const { return bytes.size() - used; }

  // REQUIRES: there is room.
  void add(Frame frame) {
    std::uint8_t* const to = bytes.data() + used;
    std::memcpy(to, frame.data, frame.captured);
    used += frame.captured;
    frame.data = to;
    frames.push_back(frame);
  }
};

// Blocks of memory for frames that are copied: one is filled at a time, and comes back when the last lease of it is let
// go. One thread at a time; leases may be let go by any, and outlive it.
class BlockStore {
 public:
  BlockStore(std::size_t blocks, std::size_t bytes) : blocks_(std::make_shared<std::vector<StoredFrames>>(blocks)) {
    for (StoredFrames& block : *blocks_) block.bytes.resize(bytes);
  }

  // One that nobody holds; null if there is none.
  StoredFrames* find_free() {
    const auto free =
        std::ranges::find_if(*blocks_, [](const auto& block) { return !block.held.load(std::memory_order_acquire); });
    return free == blocks_->end() ? nullptr : &*free;
  }

  // It is somebody's until this is let go. It is empty then.
  Lease lease(StoredFrames& block) {
    block.held.store(true, std::memory_order_relaxed);
    return Lease(&block, [blocks = blocks_, &block](const void*) {
      block.used = 0;
      block.frames.clear();
      block.held.store(false, std::memory_order_release);
    });
  }

 private:
  std::shared_ptr<std::vector<StoredFrames>> blocks_;
};

class PcapRing : public Ring {
 public:
  PcapRing(const NetworkInterface& interface, const PacketRingOptions& options);

  std::size_t size() const override { return bytes_; }
  int fd() const override { return pcap_get_selectable_fd(handle_.get()); }
  std::optional<RingBlock> next() override;
  void frames_of(RingBlock& block, std::size_t most, FrameBlock& frames) const override;
  bool waits_for_lease() const override { return waits_; }
  std::chrono::milliseconds delay() const override { return delay_of_block(block_time_); }
  void shut() override;
  void update_counts() override;
  RingCounts counts() const override {
    return {.point = interface_.name, .received = received_, .ring_full = ring_full_};
  }

 private:
  void set_up(const PacketRingOptions& options);
  bool copy_one(StoredFrames& to);
  [[noreturn]] void fail(int status) const;

  const NetworkInterface interface_;
  const std::size_t bytes_;
  const std::chrono::milliseconds block_time_;
  std::unique_ptr<pcap_t, void (*)(pcap_t*)> handle_;
  std::mutex use_;  // of the handle: who looks after the counts may be another thread
  BlockStore blocks_;
  std::uint16_t link_ = kUnknownLink;
  bool waits_ = false;
  std::uint32_t dropped_ WARPMETER_GUARDED_BY(use_) = 0;  // as libpcap said last
  std::atomic<std::uint64_t> received_ = 0, ring_full_ = 0;
};

PcapRing::PcapRing(const NetworkInterface& interface, const PacketRingOptions& options)
    : interface_(interface),
      bytes_(options.bytes),
      block_time_(options.block_ms),
      handle_(nullptr, pcap_close),
      blocks_(kCopyBlocks, kCopyBlock) {
  char reason[PCAP_ERRBUF_SIZE] = "";
  handle_.reset(pcap_create(interface.name.c_str(), reason));
  if (!handle_) throw Error(printable(interface.name) + ": libpcap: " + printable(reason));
  set_up(options);
}

void PcapRing::fail(int status) const {
  if (status == PCAP_ERROR_PERM_DENIED || status == PCAP_ERROR_PROMISC_PERM_DENIED) {
    throw Error(printable(interface_.name) +
                ": capturing needs the capability CAP_NET_RAW: run it as root, or allow it once with setcap "
                "cap_net_raw+ep on this program");
  }
  if (status == PCAP_ERROR_IFACE_NOT_UP) {
    throw Error(fmt::format("{0} is down: libpcap begins only where it is up (ip link set {0} up, or --ring packet)",
                            printable(interface_.name)));
  }
  const std::string reason = pcap_geterr(handle_.get());
  throw Error(printable(interface_.name) +
              ": libpcap: " + printable(reason.empty() ? pcap_statustostr(status) : reason));
}

void PcapRing::set_up(const PacketRingOptions& options) {
  pcap_t* const handle = handle_.get();
  pcap_set_snaplen(handle, kSnap);
  pcap_set_promisc(handle, options.promiscuous && !interface_.is_loopback);
  pcap_set_timeout(handle, static_cast<int>(options.block_ms));
  pcap_set_buffer_size(handle, static_cast<int>(std::min<std::size_t>(bytes_, std::numeric_limits<int>::max())));
  pcap_set_tstamp_precision(handle, PCAP_TSTAMP_PRECISION_NANO);
  const int status = pcap_activate(handle);
  if (status < 0) fail(status);
  char reason[PCAP_ERRBUF_SIZE];
  if (pcap_setnonblock(handle, 1, reason) != 0)
    throw Error(printable(interface_.name) + ": libpcap: " + printable(reason));
  link_ = link_of_handle(pcap_datalink(handle));
  if (link_ == kUnknownLink) {
    throw Error(fmt::format("{}: frames of this kind of interface (libpcap's type {}) are not decoded",
                            printable(interface_.name), pcap_datalink(handle)));
  }
  require_filter(options.filter, interface_.name, link_);
  // What a host sends to itself would come twice; libpcap leaves one out, but counts both where they are lost.
  const int yes = 1;
  if (interface_.is_loopback) setsockopt(pcap_fileno(handle), SOL_PACKET, PACKET_IGNORE_OUTGOING, &yes, sizeof yes);
}

// False: there is none now.
bool PcapRing::copy_one(StoredFrames& to) {
  pcap_pkthdr* header = nullptr;
  const std::uint8_t* data = nullptr;
  const int status = pcap_next_ex(handle_.get(), &header, &data);
  if (status != 1) return false;
  // The header's part of a second is in ns.
  const std::int64_t time_ns = std::int64_t{header->ts.tv_sec} * 1'000'000'000 + header->ts.tv_usec;
  to.add({data, time_ns, header->caplen, header->len, link_});
  return true;
}

std::optional<RingBlock> PcapRing::next() {
  const std::lock_guard lock(use_);
  StoredFrames* const to = blocks_.find_free();
  waits_ = to == nullptr;
  if (waits_) return {};
  while (to->room() >= kSnap && to->frames.size() < kMostCopied && copy_one(*to)) continue;
  if (to->frames.empty()) return {};
  const auto count = static_cast<std::uint32_t>(to->frames.size());
  received_.fetch_add(count, std::memory_order_relaxed);
  return RingBlock{
      .at = to->frames.data(), .frames = count, .last_ns = to->frames.back().time_ns, .lease = blocks_.lease(*to)};
}

void PcapRing::frames_of(RingBlock& block, std::size_t most, FrameBlock& frames) const {
  const auto count = static_cast<std::uint32_t>(std::min<std::size_t>(most, block.frames));
  auto* const at = static_cast<Frame*>(block.at);
  frames.frames.insert(frames.frames.end(), at, at + count);
  block.at = at + count;
  block.frames -= count;
}

// Not pcap_setfilter(), which throws away what has come in already.
void PcapRing::shut() {
  if (!refuse_everything(pcap_fileno(handle_.get()))) throw Error(printable(interface_.name) + ": cannot be stopped");
}

// What libpcap calls received has what was lost in it.
void PcapRing::update_counts() {
  const std::lock_guard lock(use_);
  pcap_stat stats{};
  if (pcap_stats(handle_.get(), &stats) != 0) return;
  ring_full_ += stats.ps_drop - std::exchange(dropped_, stats.ps_drop);
}

}  // namespace

std::unique_ptr<ObservationPoint> open_pcap_point(const std::string& name, const PacketRingOptions& options) {
  const NetworkInterface interface = find_interface(name);
  std::vector<std::unique_ptr<Ring>> made;
  const PinnedForNow pinned(cpu_of_ring(options.cpus, 0));
  made.push_back(std::make_unique<PcapRing>(interface, options));
  std::string way = fmt::format("libpcap, 1 ring of {}", human_bytes(static_cast<double>(options.bytes)));
  return std::make_unique<InterfacePoint>(interface, std::move(made), std::move(way));
}

#else

std::unique_ptr<ObservationPoint> open_pcap_point(const std::string& name, const PacketRingOptions&) {
  throw Error(printable(name) + ": rings of libpcap are not built in: this warpmeter was built without it");
}

#endif

}  // namespace warpmeter::inline packet
