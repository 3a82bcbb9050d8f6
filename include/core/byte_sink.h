// Where the bytes of an output go: a file, a pipe, a test's string.
#pragma once

#include <cstddef>
#include <span>

namespace warpmeter {

// Bytes that somebody else keeps where they are.
struct BytePart {
  const void* data;
  std::size_t size;
};

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  // All of them, in order. Throws Error, naming the output.
  virtual void write(const void* bytes, std::size_t count) = 0;
  // The same of many parts, one behind the other. None is asked for after the call.
  virtual void write_parts(std::span<const BytePart> parts) {
    for (const BytePart& part : parts) write(part.data, part.size);
  }
};

}  // namespace warpmeter
