// A ring of blocks, as a kernel or a card fills them for a live capture, but without either: the same frames in every
// block. A block belongs to whoever holds its lease and goes back with it; what it held is gone then, at once.
//
// All that a source must do: this is what PacketSource asks for, and no more.
//
// Threads: see PacketSource. Leases may outlive the ring.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/thread_annotations.h"
#include "packet/file/packet_source.h"
#include "support/byte_writer.h"
#include "warpmeter/link_type.h"

namespace warpmeter::test {

class RepeatingRing : public PacketSource {
 public:
  static constexpr std::int64_t kStep = 1000;  // ns from one frame to the next
  static constexpr std::uint8_t kGone = 0xe5;  // what a block holds that nobody has a lease of

  // `blocks`, each with these packets. It goes on until `stop`, which must outlive it.
  RepeatingRing(std::vector<Bytes> packets, std::size_t blocks, const std::atomic<bool>& stop)
      : packets_(std::move(packets)), stop_(stop), ring_(std::make_shared<Ring>()) {
    std::size_t bytes = 0;
    for (const Bytes& packet : packets_) bytes += packet.size();
    for (std::size_t i = 0; i < blocks; ++i) ring_->free.push_back(std::make_unique<Bytes>(bytes, kGone));
  }

  bool ends() const override { return false; }
  bool repeatable() const override { return false; }

  std::uint64_t blocks_given() const { return given_; }
  std::size_t blocks_free() const {
    const std::lock_guard lock(ring_->mutex);
    return ring_->free.size();
  }

 private:
  struct Ring {
    std::mutex mutex;
    std::condition_variable given_back;
    std::vector<std::unique_ptr<Bytes>> free WARPMETER_GUARDED_BY(mutex);
  };

  // Where no block is free it waits, but not for long: a chunk without frames tells that time has passed.
  bool claim(Chunk& chunk, const ChunkOptions&) override {
    std::unique_lock lock(ring_->mutex);
    ring_->given_back.wait_for(lock, std::chrono::milliseconds(1), [this] { return stop_ || !ring_->free.empty(); });
    if (stop_) return false;
    if (ring_->free.empty()) return true;
    Bytes* const bytes = ring_->free.back().release();
    ring_->free.pop_back();
    lock.unlock();
    chunk.block.leases.push_back(Lease(bytes, [ring = ring_, bytes](const void*) { give_back(*ring, bytes); }));
    fill(*bytes, chunk.block);
    return true;
  }

  void fill(Bytes& bytes, FrameBlock& block) {
    std::uint8_t* at = bytes.data();
    for (const Bytes& packet : packets_) {
      const auto size = static_cast<std::uint32_t>(packet.size());
      std::copy(packet.begin(), packet.end(), at);
      block.frames.push_back({at, time_ns_ += kStep, size, size, kLinkEthernet});
      at += size;
    }
    ++given_;
  }

  static void give_back(Ring& ring, Bytes* bytes) {
    std::fill(bytes->begin(), bytes->end(), kGone);
    const std::lock_guard lock(ring.mutex);
    ring.free.emplace_back(bytes);
    ring.given_back.notify_one();
  }

  const std::vector<Bytes> packets_;
  const std::atomic<bool>& stop_;
  const std::shared_ptr<Ring> ring_;
  std::int64_t time_ns_ = 0;
  std::atomic<std::uint64_t> given_ = 0;
};

}  // namespace warpmeter::test
