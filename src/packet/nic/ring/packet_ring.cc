#include "packet/nic/ring/packet_ring.h"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if_arp.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "base/files/descriptor.h"
#include "base/words/human_units.h"
#include "base/words/printable.h"
#include "packet/nic/bpf/kernel_filter.h"
#include "packet/nic/ring/followed_interfaces.h"
#include "packet/nic/ring/packet_header.h"
#include "packet/nic/ring/ring.h"
#include "packet/nic/ring/segment_cut.h"
#include "warpmeter/link_type.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {
namespace {

// The largest frame is one that was merged or is about to be cut: 64 KiB and its headers.
constexpr std::size_t kLeastBlock = 128 << 10, kMostBlock = 1 << 20;
// A block may be handed over with one packet in it: a ring of few would be full of little.
constexpr std::size_t kMillisecondsWanted = 640, kLeastBlocksWanted = 16;

template <class Value>
bool set(int fd, int level, int option, const Value& value) {
  return setsockopt(fd, level, option, &value, sizeof value) == 0;
}

std::size_t block_size_of(const PacketRingOptions& options) {
  const std::size_t blocks = std::max(kMillisecondsWanted / std::max(options.block_ms, 1u), kLeastBlocksWanted);
  return std::clamp(std::bit_floor(options.bytes / blocks), kLeastBlock, kMostBlock);
}

bool is_outgoing(const tpacket3_hdr& header) { return address_of(header).sll_pkttype == PACKET_OUTGOING; }

// What a host sends to itself comes twice: here it is sent, and does not come in yet.
bool is_first_of_two(const tpacket3_hdr& header) {
  return is_outgoing(header) && address_of(header).sll_hatype == ARPHRD_LOOPBACK;
}

std::uint32_t kernel_word_of(Fanout by) {
  switch (by) {
    case Fanout::queue: return PACKET_FANOUT_QM;
    case Fanout::cpu: return PACKET_FANOUT_CPU;
    default: return PACKET_FANOUT_HASH;
  }
}

}  // namespace

// The socket, what it is mapped to, and which blocks are somebody's.
struct PacketRing::Memory {
  ~Memory() {
    if (bytes) munmap(bytes, block_size * blocks);
  }

  tpacket_hdr_v1& header(std::size_t block) {
    return reinterpret_cast<tpacket_block_desc*>(bytes + block * block_size)->hdr.bh1;
  }
  std::uint8_t* first_frame(std::size_t block) {
    return bytes + block * block_size + header(block).offset_to_first_pkt;
  }
  // Of the block that a frame lies in.
  std::uint8_t* segments_of(const std::uint8_t* frame) {
    return segments[static_cast<std::size_t>(frame - bytes) / block_size].get();
  }

  // The kernel's first, else it would look complete once more.
  void give_back(std::size_t block) {
    segments[block].reset();
    std::atomic_ref(header(block).block_status).store(TP_STATUS_KERNEL, std::memory_order_release);
    held[block].store(false, std::memory_order_release);
  }

  Descriptor socket;
  std::uint8_t* bytes = nullptr;
  std::size_t block_size = 0, blocks = 0;
  std::vector<std::atomic<bool>> held;                    // a lease of it is out
  std::vector<std::unique_ptr<std::uint8_t[]>> segments;  // of frames that were cut, by block
};

PacketRing::PacketRing(const NetworkInterface& interface, unsigned number, const PacketRingOptions& options,
                       std::optional<PacketRingShare> share)
    : interface_(interface), number_(number), block_time_(options.block_ms), memory_(std::make_shared<Memory>()) {
  open(options);
  if (options.filter) attach_filter(options.filter);
  make_ring(options);
  bind_to_interface(share);
}

PacketRing::PacketRing(std::shared_ptr<FollowedInterfaces> followed, unsigned number, const PacketRingOptions& options,
                       std::optional<PacketRingShare> share)
    : interface_{.name = followed->pattern().word, .link = kUnknownLink},
      followed_(std::move(followed)),
      number_(number),
      block_time_(options.block_ms),
      memory_(std::make_shared<Memory>()) {
  open(options);
  if (options.filter) attach_filter_of_ethernet(options.filter);
  make_ring(options);
  bind_to_interface(share);
}

PacketRing::~PacketRing() = default;

int PacketRing::fd() const { return memory_->socket.get(); }
std::size_t PacketRing::size() const { return memory_->block_size * memory_->blocks; }

void PacketRing::fail(const std::string& what) const {
  throw Error(printable(interface_.name) + ": " + what + ": " + std::strerror(errno));
}

// Without a protocol nothing comes in before it is bound to its interface.
void PacketRing::open(const PacketRingOptions& options) {
  memory_->socket.reset(socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0));
  if (!memory_->socket && (errno == EPERM || errno == EACCES)) {
    throw Error(printable(interface_.name) +
                ": capturing needs the capability CAP_NET_RAW: run it as root, or allow it once with setcap "
                "cap_net_raw+ep on this program");
  }
  if (!memory_->socket) fail("no packet socket");
  if (!set(fd(), SOL_PACKET, PACKET_VERSION, int{TPACKET_V3})) fail("no TPACKET_V3");
  if (!set(fd(), SOL_PACKET, PACKET_RESERVE, static_cast<unsigned>(kTagBytes))) fail("PACKET_RESERVE");
  const bool tells = (options.whole || can_tell_segments()) && set(fd(), SOL_PACKET, PACKET_VNET_HDR, int{1});
  if (options.whole && !tells) fail("PACKET_VNET_HDR");
  cuts_ = tells && !options.whole;
  // What a host sends to itself would come twice, and what is forwarded would come back.
  if ((interface_.is_loopback || options.whole) && !set(fd(), SOL_PACKET, PACKET_IGNORE_OUTGOING, int{1})) {
    fail("PACKET_IGNORE_OUTGOING");
  }
  if (!options.promiscuous || interface_.is_loopback || followed_) return;
  packet_mreq all{};
  all.mr_ifindex = interface_.index;
  all.mr_type = PACKET_MR_PROMISC;
  if (!set(fd(), SOL_PACKET, PACKET_ADD_MEMBERSHIP, all) && errno != EOPNOTSUPP) fail("promiscuous mode");
}

// Before anything comes in, so that all that comes in has passed it.
void PacketRing::attach_filter(const FilterOfLink& filter) {
  filter_ = KernelFilter::make(filter(interface_.link), interface_.link);
  if (filter_ && !filter_->attach(fd())) filter_.reset();
}

// Loopback is not among these interfaces: of each of its packets one copy is left out, and that is not filtered out.
void PacketRing::attach_filter_of_ethernet(const FilterOfLink& filter) {
  const BpfInterfaces* const ethernet = followed_->ethernet_in_kernel();
  if (!ethernet) return;
  try {
    filter_ = KernelFilter::make(filter(kLinkEthernet), kLinkEthernet, ethernet->fd());
  } catch (const Error&) {  // it cannot be asked of Ethernet, and so of none of these
    return;
  }
  if (filter_ && !filter_->attach(fd())) filter_.reset();
}

void PacketRing::make_ring(const PacketRingOptions& options) {
  Memory& m = *memory_;
  m.block_size = block_size_of(options);
  m.blocks = std::max<std::size_t>(options.bytes / m.block_size, 2);
  tpacket_req3 request{};
  request.tp_block_size = static_cast<unsigned>(m.block_size);
  request.tp_block_nr = static_cast<unsigned>(m.blocks);
  request.tp_frame_size = TPACKET_ALIGNMENT << 7;  // means nothing here, but must divide a block
  request.tp_frame_nr = static_cast<unsigned>(m.block_size / request.tp_frame_size * m.blocks);
  request.tp_retire_blk_tov = options.block_ms;
  const auto size = static_cast<double>(m.block_size * m.blocks);
  if (!set(fd(), SOL_PACKET, PACKET_RX_RING, request)) fail("no ring of " + human_bytes(size) + " (--ring-size)");
  void* const at = mmap(nullptr, m.block_size * m.blocks, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd(), 0);
  if (at == MAP_FAILED) fail("a ring of " + human_bytes(size) + " (--ring-size) cannot be mapped");
  m.bytes = static_cast<std::uint8_t*>(at);
  m.held = std::vector<std::atomic<bool>>(m.blocks);
  m.segments.resize(m.blocks);
}

void PacketRing::bind_to_interface(std::optional<PacketRingShare> share) {
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_ALL);
  address.sll_ifindex = interface_.index;
  if (bind(fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 && errno != ENETDOWN) {
    fail("cannot be captured from");
  }
  if (!share) return;
  const std::uint32_t fanout = share->group | kernel_word_of(share->by) << 16;
  if (!set(fd(), SOL_PACKET, PACKET_FANOUT, fanout)) fail("no several rings (PACKET_FANOUT)");
}

std::optional<RingBlock> PacketRing::next() {
  Memory& m = *memory_;
  if (m.held[at_].load(std::memory_order_acquire)) return {};
  tpacket_hdr_v1& header = m.header(at_);
  if (!(std::atomic_ref(header.block_status).load(std::memory_order_acquire) & TP_STATUS_USER)) return {};
  const std::size_t block = at_;
  at_ = at_ + 1 == m.blocks ? 0 : at_ + 1;
  m.held[block].store(true, std::memory_order_relaxed);
  std::uint32_t frames = header.num_pkts;
  if (followed_) frames -= leave_out_others(block);
  if (cuts_) frames += prepare_cuts(block);
  if (has_long_) count_long_frames(block);
  received_.fetch_add(frames, std::memory_order_relaxed);
  return RingBlock{.at = m.first_frame(block),
                   .frames = frames,
                   .last_ns = std::int64_t{header.ts_last_pkt.ts_sec} * 1'000'000'000 + header.ts_last_pkt.ts_nsec,
                   .lease = Lease(&header, [memory = memory_, block](const void*) { memory->give_back(block); })};
}

std::chrono::milliseconds PacketRing::delay() const { return delay_of_block(block_time_); }

bool PacketRing::waits_for_lease() const { return memory_->held[at_].load(std::memory_order_acquire); }

// Those of interfaces that are not followed, and copies. Says how many, and marks where the others were observed.
std::uint32_t PacketRing::leave_out_others(std::size_t block) {
  const auto interfaces = followed_->now();
  const FollowedInterfaces::Interface unknown{
      .name = {}, .is_followed = followed_->follows_unknown(), .point = followed_->own_point()};
  std::uint32_t copies = 0, others = 0;
  has_long_ = false;
  FollowedInterfaces::Frames frames;  // of neighbours together
  std::uint8_t* at = memory_->first_frame(block);
  for (std::uint32_t i = 0; i < memory_->header(block).num_pkts; ++i) {
    auto& header = *reinterpret_cast<tpacket3_hdr*>(at);
    const auto found = interfaces->find(address_of(header).sll_ifindex);
    const auto& interface = found == interfaces->end() ? unknown : found->second;
    const bool is_copy = is_first_of_two(header);
    copies += is_copy;
    others += !is_copy && !interface.is_followed;
    const PlaceMark mark{static_cast<std::uint16_t>(interface.point), is_copy || !interface.is_followed,
                         header.tp_len > interface.longest_frame};
    mark.put_on(header);
    has_long_ = has_long_ || (mark.is_long && !mark.is_left_out);
    if (!mark.is_left_out) {
      const int index = address_of(header).sll_ifindex;
      if (frames.empty() || frames.back().first != index) frames.emplace_back(index, 0);
      ++frames.back().second;
    }
    at += header.tp_next_offset;
  }
  others_.fetch_add(others, std::memory_order_relaxed);
  followed_->count(frames);
  return copies + others;
}

// Says how many frames more the block has when all that can be are cut.
std::uint32_t PacketRing::prepare_cuts(std::size_t block) {
  const std::uint32_t count = memory_->header(block).num_pkts;
  std::uint32_t more = 0;
  std::size_t room = 0;
  std::uint8_t* at = memory_->first_frame(block);
  for (std::uint32_t i = 0; i < count; ++i) {
    auto& header = *reinterpret_cast<tpacket3_hdr*>(at);
    const SegmentSize size = segment_size_of(header);
    if (size.bytes > 0 && !(followed_ && PlaceMark::of(header).is_left_out)) {
      header.hv1.tp_rxhash = 0;
      if (const auto cut = SegmentCut::of(frame_at(at), size)) {
        CutMark{size, static_cast<std::uint32_t>(room)}.put_on(header);
        room += cut->room();
        more += cut->segments() - 1;
        cut_.fetch_add(1, std::memory_order_relaxed);
      }
    }
    at += header.tp_next_offset;
  }
  if (room) memory_->segments[block] = std::make_unique_for_overwrite<std::uint8_t[]>(room);
  return more;
}

// Of several interfaces, those that are not cut. Of one they are counted as they are measured.
void PacketRing::count_long_frames(std::size_t block) {
  std::uint8_t* at = memory_->first_frame(block);
  for (std::uint32_t i = 0; i < memory_->header(block).num_pkts; ++i) {
    const auto& header = *reinterpret_cast<const tpacket3_hdr*>(at);
    const PlaceMark mark = PlaceMark::of(header);
    if (mark.is_long && !mark.is_left_out && !(cuts_ && CutMark::is_on(header))) {
      count_uncut(1);
      followed_->count_long_frame(address_of(header).sll_ifindex);
    }
    at += header.tp_next_offset;
  }
}

Frame PacketRing::frame_at(std::uint8_t* at) const {
  auto& header = *reinterpret_cast<tpacket3_hdr*>(at);
  const bool has_tag = header.tp_status & TP_STATUS_VLAN_VALID;
  const std::uint16_t link = followed_ ? link_of_type(address_of(header).sll_hatype) : interface_.link;
  if (has_tag && link == kLinkEthernet && header.tp_snaplen >= kMacAddresses) put_vlan_tag_back(header);
  return {.data = at + header.tp_mac,
          .time_ns = time_of(header),
          .captured = header.tp_snaplen,
          .original = header.tp_len,
          .link = link,
          .egress = is_outgoing(header),
          .point = followed_ ? PlaceMark::of(header).point : std::uint16_t{0}};
}

// Of the frame where the block is; says how many.
std::uint32_t PacketRing::give_segments(RingBlock& block, std::size_t most, FrameBlock& frames) const {
  auto* const at = static_cast<std::uint8_t*>(block.at);
  const auto mark = CutMark::of(*reinterpret_cast<const tpacket3_hdr*>(at));
  const Frame whole = frame_at(at);
  const SegmentCut cut = *SegmentCut::of(whole, mark.size);
  std::uint8_t* const to = memory_->segments_of(at) + mark.place;
  const auto count = static_cast<std::uint32_t>(std::min<std::size_t>(most, cut.segments() - block.cut));
  for (std::uint32_t i = 0; i < count; ++i, ++block.cut) {
    frames.frames.push_back(cut.segment(whole, block.cut, to + cut.place(block.cut)));
  }
  if (block.cut == cut.segments()) block.cut = 0;
  return count;
}

void PacketRing::frames_of(RingBlock& block, std::size_t most, FrameBlock& frames) const {
  for (auto left = static_cast<std::uint32_t>(std::min<std::size_t>(most, block.frames)); left > 0;) {
    auto* const at = static_cast<std::uint8_t*>(block.at);
    const auto& header = *reinterpret_cast<const tpacket3_hdr*>(at);
    if (followed_ && PlaceMark::of(header).is_left_out) {
      block.at = at + header.tp_next_offset;
      continue;
    }
    std::uint32_t given = 1;
    if (cuts_ && CutMark::is_on(header)) {
      given = give_segments(block, left, frames);
    } else {
      frames.frames.push_back(frame_at(at));
    }
    if (block.cut == 0) block.at = at + header.tp_next_offset;
    block.frames -= given;
    left -= given;
  }
}

// A tag that comes to be in its place moves what is behind it.
void PacketRing::whole_frames_of(RingBlock& block, std::size_t most, std::vector<WholeFrame>& frames) const {
  for (std::size_t left = std::min<std::size_t>(most, block.frames); left > 0; --left, --block.frames) {
    auto* const at = static_cast<std::uint8_t*>(block.at);
    const auto& header = *reinterpret_cast<const tpacket3_hdr*>(at);
    VnetHeader told = vnet_header_of(header);
    const std::uint32_t before = header.tp_snaplen;
    const Frame frame = frame_at(at);
    const auto moved = static_cast<std::uint16_t>(frame.captured - before);
    if (told.needs_checksum()) told.checksum_start += moved;
    if (told.has_segments()) told.header_bytes += moved;
    frames.push_back({frame, told});
    block.at = at + header.tp_next_offset;
  }
}

void PacketRing::shut() {
  if (!refuse_everything(fd())) fail("cannot be stopped");
}

int PacketRing::take_error() {
  int error = 0;
  socklen_t size = sizeof error;
  return getsockopt(fd(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

// Asking sets the kernel's counts to 0, but not the filter's.
void PacketRing::update_counts() {
  if (filter_) refused_ = filter_->refused();
  tpacket_stats_v3 stats{};
  socklen_t size = sizeof stats;
  if (getsockopt(fd(), SOL_PACKET, PACKET_STATISTICS, &stats, &size) != 0) return;
  ring_full_ += stats.tp_drops;
  times_full_ += stats.tp_freeze_q_cnt;
}

RingCounts PacketRing::counts() const {
  return {.point = interface_.name,
          .ring = number_,
          .received = received_,
          .filtered = refused_,
          .other_interfaces = others_,
          .ring_full = ring_full_,
          .times_full = times_full_,
          .cut = cut_};
}

// Blocks that are complete and not given back yet.
std::optional<double> PacketRing::fill() const {
  std::size_t taken = 0;
  for (std::size_t i = 0; i < memory_->blocks; ++i) {
    const std::uint32_t status = std::atomic_ref(memory_->header(i).block_status).load(std::memory_order_relaxed);
    taken += (status & TP_STATUS_USER) != 0;
  }
  return static_cast<double>(taken) / static_cast<double>(memory_->blocks);
}

}  // namespace warpmeter::inline packet
