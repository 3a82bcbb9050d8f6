#include "simulator/finding.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>

#include "simulator/settings.h"

namespace cuda_machine {
namespace {

constexpr std::size_t kFindings = static_cast<std::size_t>(Finding::unsupported) + 1;
constexpr int kToldAtMost = 3;  // of those that are alike

struct Alike {
  std::string first;  // sentence
  int times = 0;
};

struct Reports {
  std::mutex mutex;
  std::array<std::uint64_t, kFindings> made{};
  std::map<std::string, Alike> told;
};

Reports& reports() {
  static auto& all = *new Reports;  // until the very end of the process
  return all;
}

void write_all(int file, const std::string& line) {
  if (file >= 0) [[maybe_unused]]
    const ssize_t written = ::write(file, line.data(), line.size());
}

void tell(const std::string& line) {
  write_all(STDERR_FILENO, line);
  if (settings().report_file.empty()) return;
  const int file = ::open(settings().report_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  write_all(file, line);
  if (file >= 0) ::close(file);
}

}  // namespace

// They are told once more, because standard error may have been somewhere else.
void end_if_reports_made() {
  if (reports_made() == 0) return;
  std::fflush(nullptr);
  for (const auto& [what, alike] : reports().told) {
    write_all(STDERR_FILENO, "CUDA machine: " + std::to_string(alike.times) + " times: " + alike.first + "\n");
  }
  std::_Exit(kExitAfterReports);
}

const char* word_of(Finding finding) {
  static constexpr std::array<const char*, kFindings> kWords = {"out of bounds", "misaligned", "unwritten", "race",
                                                                "warp-wide",     "deadlock",   "no end",    "api",
                                                                "leak",          "unsupported"};
  return kWords[static_cast<std::size_t>(finding)];
}

void report(Finding finding, const std::string& sentence, const std::string& alike) {
  Reports& all = reports();
  const std::lock_guard lock(all.mutex);
  [[maybe_unused]] static const int registered = std::atexit(end_if_reports_made);
  ++all.made[static_cast<std::size_t>(finding)];
  Alike& same = all.told[alike.empty() ? sentence : alike];
  if (same.times == 0) same.first = sentence;
  if (same.times++ < kToldAtMost) {
    tell("CUDA machine, process " + std::to_string(::getpid()) + ": " + word_of(finding) + ": " + sentence + "\n");
  }
}

std::uint64_t reports_made() {
  Reports& all = reports();
  const std::lock_guard lock(all.mutex);
  std::uint64_t sum = 0;
  for (const std::uint64_t made : all.made) sum += made;
  return sum;
}

std::uint64_t reports_made(Finding finding) {
  Reports& all = reports();
  const std::lock_guard lock(all.mutex);
  return all.made[static_cast<std::size_t>(finding)];
}

void forget_reports() {
  Reports& all = reports();
  const std::lock_guard lock(all.mutex);
  all.made = {};
  all.told.clear();
}

}  // namespace cuda_machine
