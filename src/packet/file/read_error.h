// The system gives no more of an input, though there may be more: a disk fails (EIO), a process has too many files open
// (EMFILE). That says nothing of what is in the file, so it is no damage, and no end.
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

#include "warpmeter/status.h"

namespace warpmeter::inline packet {

class ReadError : public Error {
 public:
  using Error::Error;
};

inline bool is_read_error(const Error& error) { return dynamic_cast<const ReadError*>(&error) != nullptr; }

// The line for users. `name`: of the input.
inline std::string read_error_text(const std::string& name, int error, std::uint64_t offset) {
  std::string text = name + ": " + std::strerror(error);
  if (error == EMFILE || error == ENFILE) text += " (ulimit -n allows more)";
  if (offset > 0) text += "; what lies behind byte " + std::to_string(offset) + " could not be read";
  return text;
}

}  // namespace warpmeter::inline packet
