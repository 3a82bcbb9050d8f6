// SIGHUP and SIGUSR1 are counted; one that is ignored stays so.
#include "program/service_signals.h"

#include <gtest/gtest.h>

#include <csignal>

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

}  // namespace
}  // namespace warpmeter
