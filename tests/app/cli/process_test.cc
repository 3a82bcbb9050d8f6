// What the program owes to the system: descriptors that cannot be given away, and how it ends.
#include "app/cli/commands.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <new>
#include <system_error>

#include "base/program/interrupt.h"

namespace warpmeter {
namespace {

int status_of(const Command& run) {
  testing::internal::CaptureStderr();
  const int status = exit_status_of(run);
  testing::internal::GetCapturedStderr();
  return status;
}

std::string said_by(const Command& run) {
  testing::internal::CaptureStderr();
  exit_status_of(run);
  return testing::internal::GetCapturedStderr();
}

TEST(Process, ExitStatusIsThatOfTheCommandOrOfItsError) {
  EXPECT_EQ(status_of([] { return ExitStatus::damaged; }), 3);
  EXPECT_EQ(status_of([]() -> ExitStatus { throw Error("x"); }), 1);
  EXPECT_EQ(status_of([]() -> ExitStatus { throw Error("x", ExitStatus::usage); }), 2);
  EXPECT_EQ(status_of([]() -> ExitStatus { throw std::bad_alloc(); }), 1);
  EXPECT_EQ(status_of([]() -> ExitStatus { throw std::runtime_error("x"); }), 1);
}

TEST(Process, ErrorIsSaidInOneLine) {
  EXPECT_EQ(said_by([]() -> ExitStatus { throw Error("x.csv: no"); }), "warpmeter: x.csv: no\n");
  EXPECT_EQ(said_by([] { return ExitStatus::damaged; }), "");
}

TEST(Process, WhatMayTakeLessMemoryIsNamed) {
  EXPECT_EQ(said_by([]() -> ExitStatus { throw std::bad_alloc(); }),
            "warpmeter: out of memory (--memory limits what flows, or streams, may take)\n");
}

TEST(Process, ThreadThatCannotBeStartedIsNamed) {
  const auto no_thread = []() -> ExitStatus {
    throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
  };
  EXPECT_EQ(said_by(no_thread),
            "warpmeter: a thread could not be started (ulimit -v, -u; --threads): Resource temporarily unavailable\n");
}

// In processes of their own from here on.
TEST(Process, EndsBySigpipeWhereNobodyReads) {
  const auto unread = [] {
    prepare_process();
    std::_Exit(exit_status_of([]() -> ExitStatus { throw PipeClosed("standard output: cannot be written"); }));
  };
  EXPECT_EXIT(unread(), testing::KilledBySignal(SIGPIPE), "^$");
}

TEST(Process, ClosedDescriptorsAreNotGivenToFiles) {
  const auto closed = [] {
    for (const int descriptor : {0, 1, 2}) close(descriptor);
    prepare_process();
    char byte = 'x';
    const bool unusable = read(0, &byte, 1) < 0 && write(1, &byte, 1) < 0 && write(2, &byte, 1) < 0;
    std::_Exit(unusable && open("/dev/null", O_RDONLY) > 2 ? 0 : 1);
  };
  EXPECT_EXIT(closed(), testing::ExitedWithCode(0), "");
}

TEST(Process, OpenDescriptorsStayAsTheyAre) {
  const auto open_ones = [] {
    prepare_process();
    std::_Exit(write(STDERR_FILENO, "still here", 10) == 10 ? 0 : 1);
  };
  EXPECT_EXIT(open_ones(), testing::ExitedWithCode(0), "still here");
}

// Whoever asks a service something, or closes its files, when it has just begun, is answered as later.
TEST(Process, HoldsSignalsUntilACommandWatchesForThem) {
  const auto signalled = [] {
    prepare_process();
    for (const int signal : {SIGUSR1, SIGHUP}) std::raise(signal);
    const ServiceSignals& service = watch_for_service_signals();
    const std::atomic<bool>& stop = watch_for_interrupt();
    const bool are_seen = service.questions == 1 && service.hang_ups == 1 && !stop;
    std::raise(SIGHUP);
    std::_Exit(are_seen && service.hang_ups == 2 && !stop ? 0 : 1);
  };
  EXPECT_EXIT(signalled(), testing::ExitedWithCode(0), "");
}

TEST(Process, StopsWhenASignalCameBeforeItWatchedForThem) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const auto stopped = [signal] {
      prepare_process();
      std::raise(signal);
      std::_Exit(watch_for_interrupt() ? 0 : 1);
    };
    EXPECT_EXIT(stopped(), testing::ExitedWithCode(0), "");
  }
}

// A command without anything to finish ends as one that has finished early, and not by the signal.
TEST(Process, EndsAsInterruptedWhereNothingIsToBeFinished) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const auto before = [signal] {
      prepare_process();
      std::raise(signal);
      let_signals_in();
      std::_Exit(1);
    };
    EXPECT_EXIT(before(), testing::ExitedWithCode(130), "");
    const auto later = [signal] {
      prepare_process();
      let_signals_in();
      std::raise(signal);
      std::_Exit(1);
    };
    EXPECT_EXIT(later(), testing::ExitedWithCode(130), "");
  }
}

TEST(Process, EndsAsInterruptedWhileOptionsAreLookedAt) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const auto held = [signal] {
      prepare_process();
      std::raise(signal);
      const EndedBySignals meanwhile;
      std::_Exit(1);
    };
    EXPECT_EXIT(held(), testing::ExitedWithCode(130), "");
    const auto watched = [signal] {
      prepare_process();
      watch_for_interrupt();
      const EndedBySignals meanwhile;
      std::raise(signal);
      std::_Exit(1);
    };
    EXPECT_EXIT(watched(), testing::ExitedWithCode(130), "");
  }
}

TEST(Process, WatchesAgainBehindWhatSignalsEnd) {
  const auto signalled = [] {
    prepare_process();
    { const EndedBySignals before; }
    std::raise(SIGTERM);
    const std::atomic<bool>& stop = watch_for_interrupt();
    { const EndedBySignals behind; }
    const bool was_held = stop;
    std::raise(SIGINT);
    std::_Exit(was_held && stop ? 0 : 1);
  };
  EXPECT_EXIT(signalled(), testing::ExitedWithCode(0), "");
}

// A signal is the only end that it has.
TEST(Process, ServiceEndsWell) {
  const auto signalled = [] {
    prepare_process();
    watch_for_service_signals();
    std::raise(SIGTERM);
    const EndedBySignals meanwhile;
    std::_Exit(1);
  };
  EXPECT_EXIT(signalled(), testing::ExitedWithCode(0), "");
}

TEST(Process, LeavesAloneWhatIsIgnored) {
  const auto ignored = [] {
    std::signal(SIGHUP, SIG_IGN);
    prepare_process();
    std::raise(SIGHUP);
    const ServiceSignals& service = watch_for_service_signals();
    const std::atomic<bool>& stop = watch_for_interrupt();
    std::raise(SIGHUP);
    std::_Exit(service.hang_ups == 0 && !stop ? 0 : 1);
  };
  EXPECT_EXIT(ignored(), testing::ExitedWithCode(0), "");
  const auto with_nothing_to_finish = [] {
    std::signal(SIGHUP, SIG_IGN);
    prepare_process();
    let_signals_in();
    std::raise(SIGHUP);
    std::_Exit(0);
  };
  EXPECT_EXIT(with_nothing_to_finish(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace warpmeter
