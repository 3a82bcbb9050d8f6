// Exit statuses, and the base of what is thrown: a message for the user, in one line.
#pragma once

#include <stdexcept>
#include <string>

// What libwarpmeter shows to programs that link it.
#define WARPMETER_PUBLIC __attribute__((visibility("default")))

namespace warpmeter {

enum class ExitStatus : int { ok = 0, failed = 1, usage = 2, damaged = 3, interrupted = 130 };

class WARPMETER_PUBLIC Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, ExitStatus status = ExitStatus::failed)
      : std::runtime_error(message), status_(status) {}
  ExitStatus status() const { return status_; }

 private:
  ExitStatus status_;
};

// None of the inputs can be read: captures, or files of Flow Records.
class WARPMETER_PUBLIC CaptureError : public Error {
 public:
  using Error::Error;
};

// Whoever read the pipe or socket that an output goes to has gone, as `| head` does. The program ends as other filters
// do then: by SIGPIPE, without a word, after everything has been cleaned up.
class PipeClosed : public Error {
 public:
  using Error::Error;
};

}  // namespace warpmeter
