// Interfaces of captures have numbers, alike ones the same.
#include "packet/file/interface_list.h"

#include <gtest/gtest.h>

#include <memory>

#include "packet/file/limits.h"
#include "support/pcapng_file.h"
#include "support/read_capture.h"
#include "warpmeter/link_type.h"

namespace warpmeter {
namespace {

TEST(InterfaceList, AlikeOnesOfOtherSectionsAreTheSame) {
  InterfaceList list;
  const InterfaceFacts tap{.name = "tap", .link = kLinkEthernet};
  for (int file = 0; file < 2; ++file) {
    InterfaceList::Section section(list);
    EXPECT_EQ(section.next(tap), 1);
    EXPECT_EQ(section.next(tap), 2);
  }
  EXPECT_EQ(list.of_link(kLinkEthernet), 3);
  EXPECT_EQ(list.of_link(kLinkEthernet), 3);
  EXPECT_EQ(list.at(2).name, "tap");
}

// There is room for link types behind them, whichever come first.
TEST(InterfaceList, SectionsHaveSoManyNumbersAndNoMore) {
  InterfaceList list;
  EXPECT_EQ(list.of_link(kLinkRaw), 1);
  InterfaceList::Section section(list);
  for (std::size_t i = 0; i < kMostNumberedInterfaces; ++i) {
    ASSERT_EQ(section.next({.name = std::to_string(i), .link = kLinkEthernet}), i + 2);
  }
  EXPECT_EQ(section.next({.name = "one more", .link = kLinkEthernet}), 0);
  EXPECT_EQ(InterfaceList::Section(list).next({.name = "0", .link = kLinkEthernet}), 2) << "it is known";
  EXPECT_EQ(list.of_link(kLinkEthernet), kMostNumberedInterfaces + 2);
  EXPECT_EQ(list.of_link(kLinkRaw), 1);
}

// An interface that got no number is as one whose description is damaged: those behind it keep theirs.
TEST(InterfaceList, MoreInterfacesAreDamageOfTheirFile) {
  const auto list = std::make_shared<InterfaceList>();
  InterfaceList::Section taken(*list);
  for (std::size_t i = 1; i < kMostNumberedInterfaces; ++i) taken.next({.name = std::to_string(i)});
  test::PcapngFile file;
  file.interface(kLinkEthernet).enhanced(0, 1, test::Bytes(4)).interface(kLinkRaw).enhanced(0, 2, test::Bytes(4));
  file.enhanced(1, 3, test::Bytes(4)).enhanced(0, 4, test::Bytes(4));
  const test::ScratchFolder folder;
  const std::string path = folder.write("x", file.data());
  for (const bool resync : {false, true}) {
    const std::atomic<bool> stop = false;
    const auto reader = open_capture(path, stop, {.resync = resync, .interfaces = list});
    FrameBlock block;
    while (reader->read(block, 10)) continue;
    EXPECT_EQ(block.frames.size(), resync ? 3u : 1u);
    const std::vector<Damage> skipped = reader->skipped();
    ASSERT_EQ(skipped.size(), resync ? 2u : 0u);
    ASSERT_EQ(reader->damage().has_value(), !resync);
    const Damage& damage = resync ? skipped.front() : *reader->damage();
    EXPECT_EQ(damage.file, path);
    EXPECT_EQ(damage.reason, "more than 65435 interfaces, in all inputs");
  }
}

// Packets tell where they are from, and what options lie behind them; where nobody asks, they do not.
TEST(InterfaceList, PacketsTellTheirInterface) {
  test::PcapngFile file;
  file.interface(kLinkEthernet).interface(kLinkRaw);
  file.enhanced(1, 1, test::Bytes(5)).enhanced(0, 2, test::Bytes(4)).simple(3, test::Bytes(3));
  file.block(6, file.writer().u32(1).u64(3).u32(1).u32(1).u8(0).zeros(3).u16(1).u16(2).u8(65).u8(66).zeros(2).data());
  for (const bool asked : {false, true}) {
    const test::ScratchFolder folder;
    const std::atomic<bool> stop = false;
    const auto list = asked ? std::make_shared<InterfaceList>() : nullptr;
    const auto reader = open_capture(folder.write("x", file.data()), stop, {.interfaces = list});
    FrameBlock block;
    while (reader->read(block, 10)) continue;
    ASSERT_EQ(block.frames.size(), 4u);
    const std::uint16_t points[] = {2, 1, 1, 2};
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(block.frames[i].point, asked ? points[i] : 0);
      EXPECT_EQ(block.frames[i].options, asked && i == 3 ? 2 : 0);
    }
  }
}

}  // namespace
}  // namespace warpmeter
