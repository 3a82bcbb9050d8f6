// A queue with room for so many bytes, and who waits for what.
#include "record/collector/message_queue.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <future>
#include <thread>

#include "record/collector/numbered_messages.h"
#include "record/collector/socket.h"

namespace warpmeter {
namespace {

using test::numbered_message;
using test::parse_message;

const std::size_t kMessage = numbered_message(0).bytes.size();

bool woken(const MessageQueue& queue) { return wait_for(queue.wake_fd(), POLLIN, std::chrono::milliseconds(0)); }

TEST(MessageQueue, GivesWhatCameInOrder) {
  MessageQueue queue(1000);
  EXPECT_TRUE(queue.empty());
  EXPECT_FALSE(queue.pop());
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_TRUE(queue.push(numbered_message(i)));
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(parse_message(queue.pop()->bytes.data()).number, i);
  EXPECT_TRUE(queue.empty());
}

TEST(MessageQueue, WakesTheSender) {
  MessageQueue queue(1000);
  EXPECT_FALSE(woken(queue));
  queue.push(numbered_message(0));
  EXPECT_TRUE(woken(queue));
  queue.wake_seen();
  EXPECT_FALSE(woken(queue));
  queue.close();
  EXPECT_TRUE(woken(queue));
  EXPECT_TRUE(queue.closed());
}

TEST(MessageQueue, FullOneMakesPushWait) {
  MessageQueue queue(2 * kMessage);
  queue.push(numbered_message(0));
  queue.push(numbered_message(1));
  auto pushed = std::async(std::launch::async, [&] { return queue.push(numbered_message(2)); });
  EXPECT_EQ(pushed.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  queue.pop();
  EXPECT_TRUE(pushed.get());
}

// Who answers later needs them.
TEST(MessageQueue, TakesTemplatesWhileItRefuses) {
  MessageQueue queue(1000);
  queue.refuse();
  EXPECT_FALSE(queue.push(numbered_message(0)));
  IpfixMessage message = numbered_message(1);
  message.templates = true;
  EXPECT_TRUE(queue.push(std::move(message)));
  EXPECT_EQ(parse_message(queue.pop()->bytes.data()).number, 1u);
}

TEST(MessageQueue, TakesOneMessageThatIsTooLarge) {
  MessageQueue queue(1);
  EXPECT_TRUE(queue.push(numbered_message(0)));
  auto pushed = std::async(std::launch::async, [&] { return queue.push(numbered_message(1)); });
  EXPECT_EQ(pushed.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  queue.pop();
  EXPECT_TRUE(pushed.get());
}

TEST(MessageQueue, RefusesAndAcceptsAgain) {
  MessageQueue queue(1);
  queue.push(numbered_message(0));
  auto pushed = std::async(std::launch::async, [&] { return queue.push(numbered_message(1)); });
  EXPECT_EQ(pushed.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  EXPECT_EQ(queue.refuse().size(), 1u);
  EXPECT_FALSE(pushed.get());
  EXPECT_FALSE(queue.push(numbered_message(2)));
  EXPECT_TRUE(queue.empty());
  queue.accept_again();
  EXPECT_TRUE(queue.push(numbered_message(3)));
}

}  // namespace
}  // namespace warpmeter
