// Buffers are used again when their last reader is done. That it is done before, ThreadSanitizer sees: nothing else
// here orders the threads.
#include "packet/file/buffer_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <utility>

#include "warpmeter/frame.h"

namespace warpmeter::test {
namespace {

class BufferPoolTest : public testing::Test {
 protected:
  // Reads and then lets go of its share, on a thread of its own.
  std::jthread reader(Lease share, const std::uint8_t* byte) {
    return std::jthread([this, byte, lease = std::move(share)]() mutable {
      read_ = *byte;
      lease.reset();
      let_go_.store(true, std::memory_order_relaxed);
    });
  }
  void wait_for_reader() const {
    while (!let_go_.load(std::memory_order_relaxed)) std::this_thread::yield();
  }
  // A buffer is used again, and for other bytes.
  void expect_again(const std::uint8_t* before) {
    const auto again = pool_->take(1);
    EXPECT_EQ(again->data(), before);
    *again->data() = 2;
  }

  const std::shared_ptr<BufferPool> pool_ = std::make_shared<BufferPool>(Buffer::kPage);
  int read_ = 0;  // by the reader

 private:
  std::atomic<bool> let_go_ = false;
};

TEST_F(BufferPoolTest, ReaderLetsGoFirst) {
  auto buffer = pool_->take(1);
  std::uint8_t* const byte = buffer->data();
  *byte = 1;
  {
    const std::jthread thread = reader(buffer, byte);
    wait_for_reader();
    buffer.reset();
    expect_again(byte);
  }
  EXPECT_EQ(read_, 1);
}

TEST_F(BufferPoolTest, ReaderLetsGoLast) {
  auto buffer = pool_->take(1);
  std::uint8_t* const byte = buffer->data();
  *byte = 1;
  {
    const std::jthread thread = reader(std::move(buffer), byte);
    wait_for_reader();
    expect_again(byte);
  }
  EXPECT_EQ(read_, 1);
}

TEST_F(BufferPoolTest, WhatIsLargerThanUsualIsNotKept) {
  EXPECT_EQ(pool_->take(1)->size(), Buffer::kPage);
  EXPECT_EQ(pool_->take(Buffer::kPage + 1)->size(), 2 * Buffer::kPage);
  EXPECT_EQ(pool_->take(1)->size(), Buffer::kPage);
}

TEST_F(BufferPoolTest, OutlivesItsOwner) {
  auto owner = std::make_shared<BufferPool>(Buffer::kPage);
  const auto buffer = owner->take(1);
  owner.reset();
  *buffer->data() = 1;
  EXPECT_EQ(*buffer->data(), 1);
}

}  // namespace
}  // namespace warpmeter::test
