// Gives a writer a thread of its own, so that records are formatted while the next ones are merged.
//
// Records cross in chunks through a bounded queue. What the writer throws comes out of the next write() or of end().
// One thread calls begin(), write() and end(); the destructor ends the thread and writes nothing more.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "warpmeter/record_writer.h"

namespace warpmeter {

class WriterThread : public RecordWriter {
 public:
  explicit WriterThread(std::unique_ptr<RecordWriter> writer);
  ~WriterThread() override;
  WriterThread(const WriterThread&) = delete;
  WriterThread& operator=(const WriterThread&) = delete;

  void begin() override;  // on the caller's thread: what cannot begin is known at once
  void write(const FlowRecord& record, const FlowRecord* reverse) override;
  void end() override;

 private:
  static constexpr std::size_t kChunk = 512;  // records: stays in the core's second cache on its way
  static constexpr std::size_t kWaiting = 8;  // chunks

  struct Chunk {
    std::vector<FlowRecord> records;   // each followed by its reverse, where it has one
    std::vector<std::uint8_t> paired;  // one a record that is no reverse
  };

  void run();
  void hand_over(bool last);
  void write_chunk(const Chunk& chunk);
  void rethrow_failure();

  const std::unique_ptr<RecordWriter> writer_;
  Chunk filling_;
  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::deque<Chunk> waiting_;
  std::vector<Chunk> empty_;  // to be filled again, so that their memory stays
  bool last_ = false;         // no more chunks
  bool abandoned_ = false;    // what waits is not to be written
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace warpmeter
