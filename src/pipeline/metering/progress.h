// A line on the terminal that tells how far the reading is: bytes, share, packets per second, time left. Only where
// standard error is a terminal; a thread of its own, so that nothing on the packet path has to think of it.
#pragma once

#include <chrono>
#include <thread>

#include "packet/file/packet_source.h"

namespace warpmeter::inline pipeline {

class Progress {
 public:
  // Starts to show, if `wanted` and standard error is a terminal. `source` must outlive it.
  Progress(const PacketSource& source, bool wanted);
  ~Progress();  // wipes the line

 private:
  void show(const std::stop_token& stop) const;
  void print_line() const;

  const PacketSource& source_;
  const std::chrono::steady_clock::time_point start_;
  std::jthread thread_;
};

}  // namespace warpmeter::inline pipeline
