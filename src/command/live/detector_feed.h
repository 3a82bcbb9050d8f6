// Brings a DetectorQueue to the detector: a thread that connects where it listens, sends, connects again when it has
// gone, and at the end waits for it as long as --drain-timeout says.
//
// Threads: one makes, begins and finishes it. `end` of begin_end() is called by its own thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <thread>

#include "command/live/detector_link.h"
#include "command/live/detector_queue.h"

namespace warpmeter::inline command {

class DetectorFeed {
 public:
  // Looks for the detector; that there is none yet is told. `gives_up`: nobody is waited for any more. What is referred
  // to must outlive it. Throws Error where nobody can listen at such a place.
  DetectorFeed(const std::string& path, DetectorQueue& queue, const std::atomic<bool>& gives_up);
  // Leaves what is not sent.
  ~DetectorFeed();

  // The last packet has come: `end` puts what is left into the queue, which then loses nothing as long as the detector
  // reads, and returns how many segments were stray.
  void begin_end(std::function<std::uint64_t()> end);
  // REQUIRES: begin_end(). Until all is sent, or there is nobody to be waited for. Throws what its thread threw.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  void run();
  void look_for_detector();
  void pass_on();
  bool send_some();
  void wait(bool for_room, std::chrono::milliseconds longest);
  bool make_room();
  void end();
  void tell(std::string what);
  void say_what_is();

  DetectorLink link_;
  DetectorQueue& queue_;
  const std::atomic<bool>& gives_up_;
  Clock::time_point try_next_{};  // to connect
  std::string is_, told_;         // why there is no detector, or that it came; what was said of that
  Clock::time_point told_last_{};
  std::function<std::uint64_t()> end_;
  std::atomic<bool> ends_ = false, stop_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace warpmeter::inline command
