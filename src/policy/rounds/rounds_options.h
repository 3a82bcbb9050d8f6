// The options of rounds: which policy, and how many rounds a packet takes at most. With --rounds auto that bound
// changes while packets are metered: command/live/load_control.cc sets it, by the work that rounds report here.
//
// All commands include this header with their options: it only declares the policy, whose headers are large.
//
// Threads: RoundsBound by any, nobody waits.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>

#include "stream/reassembly/reassembler_options.h"

namespace warpmeter::inline policy {

class CompiledPolicy;
class RunningPolicy;

class RoundsBound {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  // So many groups a packet goes through at most, from the next batches on.
  std::uint32_t most() const { return most_.load(std::memory_order_relaxed); }
  void change(std::uint32_t most) { most_.store(most, std::memory_order_relaxed); }

  struct Work {
    std::uint64_t rounds = 0;
    std::uint64_t packets = 0;  // that took any
    std::int64_t ns = 0;        // summed over threads
  };
  void worked(const Work& some) {
    rounds_.fetch_add(some.rounds, std::memory_order_relaxed);
    packets_.fetch_add(some.packets, std::memory_order_relaxed);
    ns_.fetch_add(some.ns, std::memory_order_relaxed);
  }
  // So far.
  Work work() const {
    return {rounds_.load(std::memory_order_relaxed), packets_.load(std::memory_order_relaxed),
            ns_.load(std::memory_order_relaxed)};
  }

 private:
  std::atomic<std::uint32_t> most_ = kNone;
  alignas(64) std::atomic<std::uint64_t> rounds_ = 0;
  std::atomic<std::uint64_t> packets_ = 0;
  std::atomic<std::int64_t> ns_ = 0;
};

struct RoundsOptions {
  std::shared_ptr<const CompiledPolicy> policy = nullptr;     // null: there is none
  std::uint32_t most_rounds = RoundsBound::kNone;             // of a packet; its first chain of groups is for all
  std::int64_t timeout_ns = ReassemblerOptions().timeout_ns;  // of silence, which ends a connection; 0: never
  std::uint64_t memory = 0;                                   // bytes, of all shards; 0: no limit
  std::shared_ptr<RunningPolicy> running = nullptr;           // that changes `policy`; null: it stays
  std::shared_ptr<RoundsBound> bound = nullptr;               // that changes `most_rounds`; null: it stays
};

// As a summary has it.
struct RoundsChange {
  std::int64_t time_ns;  // since 1970 UTC
  std::uint32_t most;    // RoundsBound::kNone: all
};

}  // namespace warpmeter::inline policy
