#include "stream/reassembly/stream_storage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

namespace warpmeter::test {
namespace {

TEST(CopyBytes, OfAnyLengthTheseAndNoOthers) {
  for (std::size_t length = 0; length <= 100; ++length) {
    const auto from = std::make_unique<std::uint8_t[]>(length);  // a sanitizer sees one byte too far
    std::iota(from.get(), from.get() + length, std::uint8_t{1});
    std::vector<std::uint8_t> to(length + 2, 0xee);
    copy_bytes(to.data() + 1, from.get(), length);
    EXPECT_TRUE(std::equal(from.get(), from.get() + length, to.begin() + 1)) << length;
    EXPECT_EQ(to.front(), 0xee);
    EXPECT_EQ(to.back(), 0xee);
  }
}

}  // namespace
}  // namespace warpmeter::test
