// What is on its way from those who put streams together to a detector: a buffer of whole records, of fixed size.
// Whoever fills it never waits for the detector: what finds no room is dropped, a block as a whole, and counted.
//
// A detector that comes gets a stream that begins with it: connections that began before are opened for it once they
// have something, so that each of its records can be understood by itself. What was dropped it is told by the next
// record that finds room (docs/streams.md). An eighth of the room is for the ends of connections that it knows: these
// would stay open there for ever.
//
// Threads: as a StreamConsumer by any number at once, a connection by one at a time; publish() and counts() by any; the
// rest by the one that sends.
#pragma once

#include <sys/uio.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include "base/files/descriptor.h"
#include "command/reassemble/stream_record.h"
#include "core/thread_annotations.h"
#include "pipeline/run/summary.h"
#include "warpmeter/tcp_stream.h"

namespace warpmeter::inline command {

class DetectorQueue final : public StreamConsumer {
 public:
  // `most`: bytes. Throws Error.
  explicit DetectorQueue(std::uint64_t most);

  // A connection's tag is the queue's.
  void opened(TcpConnection& connection) override;
  void take(TcpConnection& connection, const StreamBlock& block) override;
  void ended(TcpConnection& connection, const ConnectionReport& report) override;
  // Whoever sends learns of what was put in so far.
  void publish();

  StreamFeedCounts counts() const;

  // A detector is there, and gets what comes from now on; or it has gone, with all that waits.
  void begin_session();
  void end_session();

  // What waits longest, in one part or two; empty: nothing does. It stays until pop().
  std::array<iovec, 2> front() const;
  void pop(std::size_t bytes);
  bool is_empty() const;

  // For poll(2): readable when something came between begin_wait() and end_wait(). After the first of these it looks
  // once more whether there is something.
  int wake_fd() const { return wake_.get(); }
  void begin_wait() { waits_ = true; }
  void end_wait();
  void wake();

  // From here on nothing is dropped as long as this makes room: at the end. REQUIRES: nobody else fills the queue.
  void make_room_by(std::function<bool()> make_room) { make_room_ = std::move(make_room); }
  // The last record.
  void put_last(std::uint64_t stray_segments);

 private:
  // Bytes in a circle. What does not fit is refused, up to the end of the record.
  class Circle final : public ConnectionBytes {
   public:
    explicit Circle(std::uint64_t most);
    void begin(std::uint64_t& chain, std::uint64_t count) override;
    void write(const void* from, std::size_t count) override;
    void end(std::uint64_t, std::uint64_t) override {}
    std::uint64_t used() const { return last - first; }

    const std::uint64_t size;
    const std::unique_ptr<char[]> bytes;
    std::uint64_t first = 0, last = 0;  // positions, in `bytes` modulo its size
    std::uint64_t limit = 0;            // of what may be used
    bool refused = false;
  };
  struct Block {
    std::uint64_t end;  // position
    std::uint64_t bytes;
  };

  // REQUIRES, of these: mutex_ is held, by `lock`, which put() lets go while it makes room.
  template <class Write>
  bool put(std::unique_lock<std::mutex>& lock, std::uint64_t limit, const Write& write);
  void tell_dropped();
  void open_for_reader(const TcpConnection& connection);

  const std::uint64_t for_rest_;  // of the room
  mutable std::mutex mutex_;
  Circle circle_ WARPMETER_GUARDED_BY(mutex_);
  StreamFeedCounts counts_ WARPMETER_GUARDED_BY(mutex_);
  DroppedRecord dropped_ WARPMETER_GUARDED_BY(mutex_) = {};   // what the detector was not told yet
  std::deque<Block> waiting_ WARPMETER_GUARDED_BY(mutex_);    // in the circle
  std::uint64_t told_ends_ WARPMETER_GUARDED_BY(mutex_) = 0;  // to this detector
  std::uint64_t session_ WARPMETER_GUARDED_BY(mutex_) = 0;    // its number
  std::function<bool()> make_room_;                           // set when nobody fills the queue any more
  std::atomic<bool> waits_ = false;
  Descriptor wake_;
};

}  // namespace warpmeter::inline command
