// When Templates are due again over UDP, where nobody says whether they arrived (RFC 7011, section 8.4).
#pragma once

#include <chrono>
#include <cstdint>

namespace warpmeter::inline record {

class TemplateRefresh {
 public:
  TemplateRefresh(std::chrono::milliseconds every, std::uint64_t messages) : every_(every), messages_(messages) {}

  bool due() const { return since_ >= messages_ || Clock::now() - sent_ >= every_; }
  void templates_sent() {
    since_ = 0;
    sent_ = Clock::now();
  }
  void message_sent() { ++since_; }

 private:
  using Clock = std::chrono::steady_clock;
  const std::chrono::milliseconds every_;
  const std::uint64_t messages_;
  std::uint64_t since_ = 0;
  Clock::time_point sent_;
};

}  // namespace warpmeter::inline record
