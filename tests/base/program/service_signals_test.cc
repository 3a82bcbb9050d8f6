// SIGHUP and SIGUSR1 are counted; one that is ignored stays so.

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "base/program/interrupt.h"

namespace warpmeter {
namespace {

TEST(ServiceSignals, AreCounted) {
  const ServiceSignals& signals = watch_for_service_signals();
  const unsigned hang_ups = signals.hang_ups, questions = signals.questions;
  std::raise(SIGHUP);
  std::raise(SIGUSR1);
  std::raise(SIGUSR1);
  EXPECT_EQ(signals.hang_ups, hang_ups + 1);
  EXPECT_EQ(signals.questions, questions + 2);
  EXPECT_FALSE(signals.terminal_is_gone());
  std::signal(SIGHUP, SIG_IGN);
  watch_for_service_signals();
  std::raise(SIGHUP);
  EXPECT_EQ(signals.hang_ups, hang_ups + 1);
  std::signal(SIGHUP, SIG_DFL);
  std::signal(SIGUSR1, SIG_DFL);
}

// On another thread than the one that waits; and one that has come before.
TEST(ServiceSignals, EndAWait) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds kLong{60};
  watch_for_service_signals();
  wait_for_signal(std::chrono::milliseconds(0));
  const Clock::time_point begin = Clock::now();
  std::jthread other([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::raise(SIGUSR1);
  });
  wait_for_signal(kLong);
  std::raise(SIGUSR1);
  wait_for_signal(kLong);
  EXPECT_LT(Clock::now() - begin, kLong);
  const Clock::time_point quiet = Clock::now();
  wait_for_signal(std::chrono::milliseconds(20));
  EXPECT_GE(Clock::now() - quiet, std::chrono::milliseconds(20));
  std::signal(SIGUSR1, SIG_DFL);
}

}  // namespace
}  // namespace warpmeter
