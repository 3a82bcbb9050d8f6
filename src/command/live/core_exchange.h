// What the owners of rings have in common: a queue for each pair of them, or two where streams are wanted too, how far
// each has come in time, and what wakes one that waits for packets while another has some for it.
//
// Threads: the owners, each with its own number. Nobody waits here, and nothing is locked.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/files/descriptor.h"
#include "command/live/payload_queue.h"
#include "command/live/segment_queue.h"

namespace warpmeter::inline command {

class CoreExchange {
 public:
  // Queues of `most` segments each; and, where streams are wanted, of so many bytes for payload. Throws Error.
  CoreExchange(unsigned owners, std::size_t most, std::size_t payload_bytes = 0);
  CoreExchange(const CoreExchange&) = delete;
  CoreExchange& operator=(const CoreExchange&) = delete;

  unsigned owners() const { return static_cast<unsigned>(places_.size()); }

  SegmentQueue& queue(unsigned from, unsigned to) { return *queues_[from * owners() + to]; }
  // REQUIRES: streams are wanted.
  PayloadQueue& payload(unsigned from, unsigned to) { return *payloads_[from * owners() + to]; }
  // What `from` has pushed for `to` can be seen, and `to` learns of it.
  void publish(unsigned from, unsigned to);
  bool has_some_for(unsigned to) const;

  // For poll(2): readable when `to` was waiting, and something came. What wakes it is a count that it reads away.
  int wake_fd(unsigned to) const { return places_[to]->wake.get(); }
  // Around a wait: between the two, publish() wakes. After the first it looks once more whether there is something.
  void begin_wait(unsigned to);
  void end_wait(unsigned to);

  // All that `from` read and that was captured before this time has been published.
  void has_passed(unsigned from, std::int64_t time_ns);
  // The same for all but `to`. Whoever takes all that is there for it after this call has it up to this time.
  std::int64_t passed_by_others(unsigned to) const;

  // `from` will publish no more.
  void end(unsigned from);
  bool all_ended() const { return going_ == 0; }

 private:
  struct alignas(64) Place {
    std::atomic<std::int64_t> watermark_ns;
    std::atomic<bool> waits = false;
    Descriptor wake;  // an eventfd
  };

  void wake(Place& place);

  std::vector<std::unique_ptr<Place>> places_;
  std::vector<std::unique_ptr<SegmentQueue>> queues_;    // by owner, then by owner: null from one to itself
  std::vector<std::unique_ptr<PayloadQueue>> payloads_;  // the same; empty: nobody wants streams
  std::atomic<unsigned> going_;
};

}  // namespace warpmeter::inline command
