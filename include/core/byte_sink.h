// Where the bytes of an output go: a file, a pipe, a test's string.
#pragma once

#include <cstddef>

namespace warpmeter {

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  // All of them, in order. Throws Error, naming the output.
  virtual void write(const void* bytes, std::size_t count) = 0;
};

}  // namespace warpmeter
