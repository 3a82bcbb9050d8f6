// Takes bytes as a text, for tests of what writes to a sink.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "core/byte_sink.h"

namespace warpmeter::test {

struct TextSink final : ByteSink {
  void write(const void* bytes, std::size_t count) override {
    text.append(static_cast<const char*>(bytes), count);
    largest = std::max(largest, count);
  }
  std::string text;
  std::size_t largest = 0;  // piece
};

}  // namespace warpmeter::test
