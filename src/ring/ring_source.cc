#include "ring/ring_source.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "warpmeter/human_units.h"
#include "warpmeter/printable.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLongestWait{20};  // for a block; then others learn that time has passed
constexpr std::chrono::seconds kLookEvery{1};
constexpr int kBlocksLate = 5;  // times block_ms: after that a packet that came in has been handed over

std::int64_t wall_clock_ns() {
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

// A block, of which `frames` frames at a time are read.
struct RingSource::BlockChunk : Chunk {
  void clear() override {
    Chunk::clear();
    ring = nullptr;
    left = {};
    all = 0;
    bytes = 0;
    most = 0;
  }

  const PacketRing* ring = nullptr;
  PacketRing::Block left;
  std::uint32_t all = 0;    // frames
  std::uint64_t bytes = 0;  // captured, of those that were read
  std::size_t most = 0;
};

RingSource::RingSource(const std::vector<std::string>& interfaces, const RingSourceOptions& options,
                       const std::atomic<bool>& stop)
    : options_(options), stop_(stop), start_(Clock::now()), next_look_(start_) {
  for (const std::string& name : interfaces) {
    const bool twice = std::ranges::any_of(interfaces_, [&](const Interface& i) { return i.is.name == name; });
    if (twice) throw Error(printable(name) + " is named twice", ExitStatus::usage);
    interfaces_.push_back({.is = find_interface(name)});
  }
  for (std::size_t i = 0; i < interfaces_.size(); ++i) open_rings(i);
}

RingSource::~RingSource() = default;

void RingSource::open_rings(std::size_t interface) {
  Interface& of = interfaces_[interface];
  of.lost = lost_by_interface(of.is);
  if (!of.is.is_up) {
    options_.warn(fmt::format("{0} is down: no packets until it is up (ip link set {0} up)", printable(of.is.name)));
  }
  for (const std::string& offload : merging_offloads(of.is)) {
    options_.warn(
        fmt::format("{0}: {1} is on, so several segments may come as one, and the counts are of those "
                    "(ethtool -K {0} {1} off)",
                    printable(of.is.name), offload));
  }
  // Groups are known in the whole network namespace: two processes must not have the same by chance.
  std::optional<PacketRingShare> share;
  if (options_.rings > 1) share = {static_cast<std::uint16_t>(getpid() * 31 + of.is.index)};
  for (unsigned number = 0; number < options_.rings; ++number) {
    rings_.push_back({std::make_unique<PacketRing>(of.is, number, options_.ring, share), interface, wall_clock_ns()});
  }
}

std::unique_ptr<Chunk> RingSource::make_chunk() const { return std::make_unique<BlockChunk>(); }

bool RingSource::claim(Chunk& any_chunk, const ChunkOptions& options) {
  auto& chunk = static_cast<BlockChunk&>(any_chunk);
  chunk.most = options.frames;
  if (Clock::now() >= next_look_) look_at_interfaces();
  if (!shut_ && wants_to_stop()) shut();
  const bool last_open_block_is_there = shut_ && is_drained();
  if (take_block(chunk)) return true;
  if (last_open_block_is_there) return false;
  wait_for_block();
  take_block(chunk);
  return true;  // perhaps without frames: time has passed
}

bool RingSource::take_block(BlockChunk& chunk) {
  const std::int64_t given_by_now = wall_clock_ns() - kBlocksLate * std::int64_t{options_.ring.block_ms} * 1'000'000;
  bool found = false;
  for (std::size_t i = 0; i < rings_.size() && !found; ++i) {
    Ring& next = rings_[turn_];
    turn_ = turn_ + 1 == rings_.size() ? 0 : turn_ + 1;
    std::optional<PacketRing::Block> block;
    {
      const std::lock_guard lock(mutex_);
      block = next.ring->next();
    }
    found = block.has_value();
    if (!found && !next.ring->waits_for_lease()) next.passed_ns = given_by_now;
    if (!found) continue;
    next.passed_ns = block->last_ns;
    chunk.ring = next.ring.get();
    chunk.all = block->frames;
    chunk.block.leases.push_back(std::move(block->lease));
    chunk.left = *std::move(block);
  }
  chunk.block.passed_ns = std::ranges::min_element(rings_, {}, &Ring::passed_ns)->passed_ns;
  return found;
}

bool RingSource::read(Chunk& any_chunk, FileView&) {
  auto& chunk = static_cast<BlockChunk&>(any_chunk);
  chunk.block.frames.clear();
  const bool first = !std::exchange(chunk.shown, true);
  if (chunk.left.frames == 0) return first;  // without frames, too: time has passed
  chunk.ring->frames_of(chunk.left, chunk.most, chunk.block);
  for (const Frame& frame : chunk.block.frames) chunk.bytes += frame.captured;
  return true;
}

bool RingSource::commit(Chunk& any_chunk, FileView&) {
  auto& chunk = static_cast<BlockChunk&>(any_chunk);
  number(chunk, chunk.all, chunk.bytes);
  return true;
}

void RingSource::wait_for_block() {
  std::vector<pollfd> wanted;
  for (const Ring& ring : rings_) wanted.push_back({.fd = ring.ring->fd(), .events = POLLIN, .revents = 0});
  poll(wanted.data(), wanted.size(), static_cast<int>(kLongestWait.count()));
  for (std::size_t i = 0; i < rings_.size(); ++i) {
    if (wanted[i].revents & ~POLLIN) look_after(rings_[i]);
  }
}

void RingSource::look_after(const Ring& ring) {
  const int error = ring.ring->take_error();
  if (error == ENETDOWN && ring.ring->counts().ring == 0) {
    options_.warn(fmt::format("{}: the link is down; what comes when it is up again is metered",
                              printable(ring.ring->interface().name)));
  }
}

// Nobody tells the socket that its interface was removed.
void RingSource::look_at_interfaces() {
  next_look_ = Clock::now() + kLookEvery;
  const std::lock_guard lock(mutex_);
  for (Interface& interface : interfaces_) {
    if (interface.gone) continue;
    interface.gone = !interface_exists(interface.is.index);
    if (interface.gone) continue;
    const std::uint32_t lost = lost_by_interface(interface.is);
    interface.lost_since += lost - std::exchange(interface.lost, lost);
  }
  for (const Ring& ring : rings_) ring.ring->update_counts();
}

bool RingSource::wants_to_stop() const {
  if (stop_ || ended_ || (options_.duration.count() > 0 && Clock::now() - start_ >= options_.duration)) return true;
  return std::ranges::all_of(interfaces_, &Interface::gone);
}

void RingSource::shut() {
  shut_ = true;
  for (const Ring& ring : rings_) ring.ring->shut();
  last_wait_end_ = Clock::now() + 2 * milliseconds(options_.ring.block_ms) + kLongestWait;
  look_at_interfaces();
}

// What came in can be taken, block by block, without waiting.
bool RingSource::is_drained() const {
  return Clock::now() >= last_wait_end_ &&
         std::ranges::none_of(rings_, [](const Ring& ring) { return ring.ring->waits_for_lease(); });
}

std::string RingSource::description() const {
  std::string text;
  for (const Interface& interface : interfaces_) {
    text += (text.empty() ? "" : ", ") + printable(interface.is.name);
  }
  const auto size = static_cast<double>(rings_.front().ring->size());
  return fmt::format("{} (AF_PACKET, {} {} of {}{})", text, options_.rings, options_.rings == 1 ? "ring" : "rings",
                     human_bytes(size), interfaces_.size() == 1 ? "" : " each");
}

std::vector<RingCounts> RingSource::ring_counts() const {
  const std::lock_guard lock(mutex_);
  std::vector<RingCounts> counts;
  for (const Ring& ring : rings_) {
    ring.ring->update_counts();
    counts.push_back(ring.ring->counts());
  }
  return counts;
}

std::vector<InterfaceCounts> RingSource::interface_counts() const {
  const std::lock_guard lock(mutex_);
  std::vector<InterfaceCounts> counts;
  for (const Interface& interface : interfaces_) counts.push_back({interface.is.name, interface.lost_since});
  return counts;
}

std::vector<std::string> RingSource::gone() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> lines;
  for (const Interface& interface : interfaces_) {
    if (interface.gone) lines.push_back(printable(interface.is.name) + ": the interface is gone");
  }
  return lines;
}

}  // namespace warpmeter
