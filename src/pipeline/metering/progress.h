// A line on the terminal that tells how far the reading is: bytes, share, packets per second, time left. Only where
// standard error is a terminal; the program that the library is in gets the same as numbers. A thread of its own, so
// that nothing on the packet path has to think of it.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

#include "packet/file/packet_source.h"
#include "warpmeter/job.h"

namespace warpmeter::inline pipeline {

class Progress {
 public:
  using Tell = std::function<void(const ReadingProgress& progress)>;

  // Starts to show, if `wanted` and standard error is a terminal, and to tell, if `tell` is not empty: that is called
  // on a thread of its own, and must not throw. `source` must outlive it.
  Progress(const PacketSource& source, bool wanted, Tell tell = {});
  ~Progress();  // wipes the line; tells once more

 private:
  void show(const std::stop_token& stop) const;
  void print_line() const;
  ReadingProgress so_far() const;

  const PacketSource& source_;
  const bool shows_;
  const Tell tell_;
  const std::chrono::steady_clock::time_point start_;
  std::jthread thread_;
};

}  // namespace warpmeter::inline pipeline
