// What is needed no more is dropped: by one thread, whose rights are its own, or by all; and tried without.
#include "packet/nic/xdp/capture_rights.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace warpmeter::test {
namespace {

// A line of /proc/.../status, as "CapEff", of this thread or another.
std::uint64_t rights(const std::string& line, long thread = syscall(SYS_gettid)) {
  std::ifstream in("/proc/self/task/" + std::to_string(thread) + "/status");
  for (std::string word; in >> word;) {
    if (word == line + ":" && in >> word) return std::stoull(word, nullptr, 16);
  }
  ADD_FAILURE() << "no " << line;
  return 0;
}

constexpr std::uint64_t kOfFiles = 1U << 0 | 1U << 1 | 1U << 2 | 1U << 3 | 1U << 28;

TEST(CaptureRights, ThoseOfOneThreadAreDropped) {
  const std::string before = missing_rights_for_xdp();
  const std::uint64_t had = rights("CapPrm");
  std::string after;
  std::uint64_t left = 1, of_files = 1;
  std::thread([&] {
    drop_rights_of_thread(KeptRights::files);
    of_files = rights("CapEff") | rights("CapPrm");
    drop_rights_of_thread(KeptRights::none);
    after = missing_rights_for_xdp();
    left = rights("CapEff") | rights("CapPrm") | rights("CapInh") | rights("CapAmb");
  }).join();
  EXPECT_TRUE(after.starts_with("CAP_NET_RAW") && after.find("CAP_NET_ADMIN") != std::string::npos) << after;
  EXPECT_EQ(left, 0u);
  EXPECT_EQ(of_files, had & kOfFiles);
  EXPECT_EQ(missing_rights_for_xdp(), before);
  EXPECT_EQ(rights("CapPrm"), had);
}

TEST(CaptureRights, AreThereAgainBehindATryWithout) {
  const std::uint64_t had = rights("CapEff");
  {
    const WithoutRights now;
    EXPECT_EQ(rights("CapEff"), 0u);
  }
  EXPECT_EQ(rights("CapEff"), had);
}

// In a process of its own: the others need theirs. What its threads do goes on.
int after_all_have_dropped() {
  std::atomic<bool> end = false;
  std::atomic<int> started = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 20; ++i) {
    threads.emplace_back([&end, &started, i] {
      ++started;
      while (!end) {
        if (i % 2) usleep(10'000'000);
      }
    });
  }
  while (started < 20) usleep(1000);
  drop_rights(KeptRights::none);
  int with_rights = 0, seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    const long thread = std::stol(entry.path().filename().string());
    ++seen;
    with_rights += (rights("CapEff", thread) | rights("CapPrm", thread)) != 0;
    with_rights += rights("NoNewPrivs", thread) != 1;
  }
  if (seen < 21) return 100;
  _exit(with_rights);
}

TEST(CaptureRights, ThoseOfAllThreadsAreDropped) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "a build without ThreadSanitizer, whose own thread lets no signal in, runs this";
#endif
  const pid_t child = fork();
  if (child == 0) _exit(after_all_have_dropped());
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace warpmeter::test
