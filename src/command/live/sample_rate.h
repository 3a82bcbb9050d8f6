// The rate of a sample of flows that changes while a live capture runs: what whoever decides it and the owners of
// rings, who meter by it, tell each other. A change is wanted first; then each owner takes it up, from when on it reads
// no packet by the sample before; when all have, and what they had handed over is metered, each ends the flows that are
// in the sample no more. Then it is settled, and the next one may come.
//
// Threads: change() by one; what owners tell, by each of them; the rest by any. Nobody waits.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace warpmeter::inline command {

class SampleRate {
 public:
  SampleRate(std::uint32_t one_in, unsigned owners)
      : owners_(owners), cpu_ns_(std::make_unique<CpuTime[]>(owners)), one_in_(one_in) {}

  // One flow of so many is metered.
  std::uint32_t one_in() const { return one_in_.load(std::memory_order_acquire); }

  // REQUIRES: is_settled().
  void change(std::uint32_t one_in) {
    to_take_up_.store(owners_, std::memory_order_relaxed);
    to_settle_.store(owners_, std::memory_order_relaxed);
    one_in_.store(one_in, std::memory_order_release);
  }

  // Owners, once each for a change: it has published the last packet that it read by the sample before.
  void take_up() { to_take_up_.fetch_sub(1, std::memory_order_acq_rel); }
  bool all_took_it_up() const { return to_take_up_.load(std::memory_order_acquire) == 0; }
  // It has given away what it had of flows that left.
  void settle() { to_settle_.fetch_sub(1, std::memory_order_acq_rel); }
  bool is_settled() const { return to_settle_.load(std::memory_order_acquire) == 0; }

  // The CPU time that the thread of an owner has taken so far.
  unsigned owners() const { return owners_; }
  void worked(unsigned owner, std::int64_t ns) { cpu_ns_[owner].ns.store(ns, std::memory_order_relaxed); }
  std::int64_t worked(unsigned owner) const { return cpu_ns_[owner].ns.load(std::memory_order_relaxed); }

 private:
  struct alignas(64) CpuTime {
    std::atomic<std::int64_t> ns = 0;
  };

  const unsigned owners_;
  const std::unique_ptr<CpuTime[]> cpu_ns_;
  std::atomic<std::uint32_t> one_in_;
  std::atomic<unsigned> to_take_up_ = 0, to_settle_ = 0;  // owners that have still to do so
};

}  // namespace warpmeter::inline command
