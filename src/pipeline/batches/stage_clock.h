// Time per pipeline stage, added up over all threads. Taken once a batch, never once a packet.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace warpmeter::inline pipeline {

enum class Stage { read, decode, meter, spill, drain, merge_and_export };
inline constexpr int kStages = 6;
inline constexpr std::array<const char*, kStages> kStageNames = {"read",  "decode", "meter",
                                                                 "spill", "drain",  "merge and export"};

class StageClock {
 public:
  // Adds the time from here to the end of the scope to a stage.
  class Scope {
   public:
    Scope(StageClock& clock, Stage stage) : clock_(clock), stage_(stage), start_(std::chrono::steady_clock::now()) {}
    ~Scope() { clock_.add(stage_, std::chrono::steady_clock::now() - start_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    StageClock& clock_;
    const Stage stage_;
    const std::chrono::steady_clock::time_point start_;
  };

  void add(Stage stage, std::chrono::nanoseconds time) {
    ns_[static_cast<int>(stage)].fetch_add(time.count(), std::memory_order_relaxed);
  }
  double seconds(int stage) const { return static_cast<double>(ns_[stage].load(std::memory_order_relaxed)) / 1e9; }

 private:
  std::array<std::atomic<std::int64_t>, kStages> ns_{};
};

}  // namespace warpmeter::inline pipeline
