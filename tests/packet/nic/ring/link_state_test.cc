#include "packet/nic/ring/interface_point.h"

#include <gtest/gtest.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>

#include <array>
#include <cstring>
#include <optional>

namespace warpmeter {
namespace {

constexpr int kInterface = 7;
constexpr unsigned kLowerUp = 1 << 16;  // IFF_LOWER_UP, which net/if.h does not have
constexpr unsigned kUp = IFF_UP | kLowerUp;

struct Message {
  alignas(nlmsghdr) std::array<char, 64> buffer{};
  std::size_t size = 0;

  std::span<const char> bytes() const { return {buffer.data(), size}; }

  void add(const void* from, std::size_t count) {
    std::memcpy(buffer.data() + size, from, count);
    size += NLMSG_ALIGN(count);
  }
};

// `losses`: of the carrier so far; behind an attribute that is not of interest. Kernels before 4.16 do not tell them.
Message message_of(unsigned flags, std::optional<std::uint32_t> losses, int interface = kInterface,
                   std::uint16_t type = RTM_NEWLINK) {
  Message message;
  nlmsghdr header{};
  header.nlmsg_type = type;
  header.nlmsg_len = sizeof(nlmsghdr) + sizeof(ifinfomsg) + (losses ? 8 + 8 : 0);
  message.add(&header, sizeof header);
  ifinfomsg link{};
  link.ifi_index = interface;
  link.ifi_flags = flags;
  message.add(&link, sizeof link);
  if (!losses) return message;
  for (const std::uint16_t attribute : {IFLA_CARRIER_UP_COUNT, IFLA_CARRIER_DOWN_COUNT}) {
    const rtattr head{.rta_len = 8, .rta_type = attribute};
    const std::uint32_t value = attribute == IFLA_CARRIER_DOWN_COUNT ? *losses : 77;
    message.add(&head, sizeof head);
    message.add(&value, sizeof value);
  }
  return message;
}

bool told(LinkState& state, const Message& message) { return state.news_in(message.bytes()).went_down; }

TEST(LinkState, ComesUpOnce) {
  LinkState state(kInterface, false);
  EXPECT_FALSE(state.news_in(message_of(IFF_UP, 3).bytes()).came_up);  // no carrier
  EXPECT_TRUE(state.news_in(message_of(kUp, 3).bytes()).came_up);
  EXPECT_FALSE(state.news_in(message_of(kUp, 3).bytes()).came_up);
  const LinkNews back = state.news_in(message_of(kUp, 4).bytes());
  EXPECT_TRUE(back.went_down);
  EXPECT_TRUE(back.came_up);
  EXPECT_FALSE(LinkState(kInterface, true).news_in(message_of(kUp, 3).bytes()).came_up);  // it was
}

TEST(LinkState, GoesDownOnceUntilItIsUpAgain) {
  LinkState state(kInterface, true);
  EXPECT_FALSE(told(state, message_of(kUp, {})));
  EXPECT_TRUE(told(state, message_of(IFF_UP, {})));  // no carrier
  EXPECT_FALSE(told(state, message_of(0, {})));
  EXPECT_FALSE(told(state, message_of(kUp, {})));
  EXPECT_TRUE(told(state, message_of(kLowerUp, {})));  // not up
}

TEST(LinkState, KnownToBeDownIsNoNews) {
  LinkState state(kInterface, false);
  EXPECT_FALSE(told(state, message_of(IFF_UP, 3)));
  EXPECT_FALSE(told(state, message_of(kUp, 3)));
  EXPECT_TRUE(told(state, message_of(0, 4)));
}

TEST(LinkState, LostAndBackInOneMessageIsTold) {
  LinkState state(kInterface, true);
  EXPECT_FALSE(told(state, message_of(kUp, 5)));  // what was lost before it was watched
  EXPECT_FALSE(told(state, message_of(kUp, 5)));
  EXPECT_TRUE(told(state, message_of(kUp, 6)));
  EXPECT_FALSE(told(state, message_of(kUp, 6)));
  EXPECT_TRUE(told(state, message_of(IFF_UP, 7)));
  EXPECT_FALSE(told(state, message_of(kUp, 7)));
}

TEST(LinkState, OtherMessagesTellNothing) {
  LinkState state(kInterface, true);
  EXPECT_FALSE(told(state, message_of(0, 1, kInterface + 1)));
  EXPECT_FALSE(told(state, message_of(0, 1, kInterface, RTM_DELLINK)));
  EXPECT_TRUE(told(state, message_of(0, 1)));
}

TEST(LinkState, CutMessagesAreReadAsFarAsTheyGo) {
  const Message whole = message_of(kUp, 2);
  for (std::size_t size = 0; size < whole.size; ++size) {
    LinkState state(kInterface, true);
    EXPECT_FALSE(told(state, message_of(kUp, 1)));
    Message cut = whole;
    cut.size = size;
    EXPECT_FALSE(told(state, cut)) << size;
    EXPECT_TRUE(told(state, whole)) << size;
  }
}

}  // namespace
}  // namespace warpmeter
