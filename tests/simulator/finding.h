// What the machine found wrong.
//
// A report is a sentence and where it happened. All go to standard error and, where CUDA_MACHINE names one
// (settings.h), to a file. A process that made any ends with exit status 86, whatever it would have returned.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace cuda_machine {

inline constexpr int kExitAfterReports = 86;

enum class Finding : std::uint8_t {
  out_of_bounds,
  misaligned,
  unwritten,  // read of memory that nobody wrote
  race,
  warp_wide,  // lanes that do not meet, or meet with different masks or operations
  deadlock,
  no_end,  // more instructions than the limit
  api,     // a call of the runtime that is wrong
  leak,
  unsupported  // the machine does not know something
};

const char* word_of(Finding finding);

// By any thread. Those that are alike (by default: the same sentence) are told three times at most, and counted always.
void report(Finding finding, const std::string& sentence, const std::string& alike = {});
std::uint64_t reports_made();
std::uint64_t reports_made(Finding finding);
// Tests that expect reports forget them afterwards.
void forget_reports();
// Ends a process that made reports, and does nothing else. Called when a process exits.
void end_if_reports_made();

// Ends the kernel that runs; the device is lost, as after an error of a real one (cudaErrorIllegalAddress).
class KernelFault : public std::runtime_error {
 public:
  KernelFault(Finding what_kind, const std::string& what) : std::runtime_error(what), finding(what_kind) {}
  const Finding finding;
};

}  // namespace cuda_machine
