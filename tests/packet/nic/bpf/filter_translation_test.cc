// Filters as the kernel runs them against those of the decoder: random frames of all kinds, and filters of all kinds.
#include "packet/nic/bpf/kernel_filter.h"

#include <gtest/gtest.h>
#include <linux/filter.h>

#include <random>
#include <string>
#include <system_error>

#include "packet/decode/packet_filter.h"
#include "packet/nic/bpf/bpf_maps.h"
#include "packet/nic/bpf/bpf_object.h"
#include "support/filter_cases.h"
#include "warpmeter/link_type.h"

namespace warpmeter::test {
namespace {

constexpr std::size_t kEthernetHeader = 14;

// A translated filter in the kernel, run there on frames that no interface has seen.
class LoadedFilter {
 public:
  LoadedFilter(const FilterProgram& filter, TagBeside beside) {
    const auto program = translate_filter(filter, beside, counter_.fd());
    translated_ = program.has_value();
    if (program) program_ = load_socket_program("test", *program);
  }

  bool translated() const { return translated_; }
  explicit operator bool() const { return static_cast<bool>(program_); }
  std::uint64_t refused() const { return counter_.sum(); }

  // The kernel shows socket filters what is behind an Ethernet header here.
  bool matches(const Bytes& frame) const {
    Bytes bytes(kEthernetHeader);
    bytes.insert(bytes.end(), frame.begin(), frame.end());
    return run_once(program_.get(), {bytes.data(), static_cast<std::uint32_t>(bytes.size())}) != 0;
  }

 private:
  const BpfCounter counter_ = BpfCounter::of_cpus("test");
  Descriptor program_;
  bool translated_ = false;
};

class FilterTranslationTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!PacketFilter::available()) GTEST_SKIP() << "a build with libpcap (package libpcap-dev) runs this";
    try {
      const LoadedFilter all({{BPF_RET | BPF_K, 0, 0, 1}}, {});
    } catch (const std::system_error& error) {
      GTEST_SKIP() << "the right to load programs into the kernel (root has it) runs this: " << error.what();
    }
  }

  static Frame frame_of(const Bytes& bytes) {
    const auto size = static_cast<std::uint32_t>(bytes.size());
    return {bytes.data(), 0, size, size, kLinkEthernet};
  }
};

TEST_F(FilterTranslationTest, MatchesWhatTheDecoderMatches) {
  std::mt19937 random(20);
  std::vector<Bytes> frames;
  for (int i = 0; i < 400; ++i) frames.push_back(random_frame(random));
  std::size_t matched = 0, all = 0;
  for (const std::string& text : filter_cases()) {
    const PacketFilter filter(text);
    const LoadedFilter loaded(filter.program(kLinkEthernet), {});
    ASSERT_TRUE(loaded.translated()) << text;
    ASSERT_TRUE(loaded) << text;
    std::uint64_t refused = 0;
    for (const Bytes& frame : frames) {
      const bool expected = filter.matches(frame_of(frame));
      ASSERT_EQ(loaded.matches(frame), expected) << text;
      refused += !expected;
    }
    EXPECT_EQ(loaded.refused(), refused) << text;
    matched += frames.size() - refused;
    all += frames.size();
  }
  EXPECT_GT(matched, all / 10);
  EXPECT_LT(matched, all - all / 10);
}

TEST_F(FilterTranslationTest, TagBesideTheFrameIsAsIfInIt) {
  std::mt19937 random(21);
  for (const std::string& text : filter_cases()) {
    const PacketFilter filter(text);
    for (const std::uint32_t tag : {0x81000005u, 0x88a82fffu}) {
      const LoadedFilter loaded(filter.program(kLinkEthernet), {TagBeside::Of::all, tag});
      ASSERT_TRUE(loaded) << text;
      for (int i = 0; i < 60; ++i) {
        const Bytes beside = random_frame(random);
        Bytes whole = beside;
        const Bytes bytes = ByteWriter().u32(tag).data();
        whole.insert(whole.begin() + 12, bytes.begin(), bytes.end());
        ASSERT_EQ(loaded.matches(beside), filter.matches(frame_of(whole))) << text;
      }
    }
  }
}

TEST_F(FilterTranslationTest, WhatNothingMatchesRefusesAll) {
  const PacketFilter filter("ip and arp");
  for (const auto beside : {TagBeside::Of::none, TagBeside::Of::as_the_kernel_says}) {
    const LoadedFilter loaded(filter.program(kLinkEthernet), {beside});
    ASSERT_TRUE(loaded);
    std::mt19937 random(23);
    for (int i = 0; i < 20; ++i) EXPECT_FALSE(loaded.matches(random_frame(random)));
    EXPECT_EQ(loaded.refused(), 20u);
  }
}

// Every step of the machine, also those that libpcap rarely makes, where frames end and where they do not.
TEST_F(FilterTranslationTest, StepByStep) {
  std::mt19937 random(22);
  std::vector<Bytes> frames;
  for (int i = 0; i < 24; ++i) frames.push_back(random_frame(random));
  for (std::uint32_t tag : {0u, 0x8100a5c3u}) {
    for (const FilterProgram& program : step_cases()) {
      const LoadedFilter loaded(program, {tag ? TagBeside::Of::all : TagBeside::Of::none, tag});
      ASSERT_TRUE(loaded) << (&program - step_cases().data());
      for (const Bytes& frame : frames) {
        Bytes whole = frame;
        const Bytes bytes = ByteWriter().u32(tag).data();
        if (tag) whole.insert(whole.begin() + 12, bytes.begin(), bytes.end());
        ASSERT_EQ(loaded.matches(frame), run_steps(program, whole)) << (&program - step_cases().data());
      }
    }
  }
}

TEST_F(FilterTranslationTest, WhatCannotBeTranslatedIsNot) {
  const FilterProgram cases[] = {
      {},
      {{BPF_LD | BPF_W | BPF_ABS, 0, 0, 0xfffff000}, {BPF_RET | BPF_K, 0, 0, 1}},  // what the kernel has beside it
      {{BPF_LD | BPF_W | BPF_ABS, 0, 0, 0}},                                       // no end
      {{BPF_JMP | BPF_JEQ | BPF_K, 200, 0, 0}, {BPF_RET | BPF_K, 0, 0, 1}},        // beyond the end
      {{BPF_ST, 0, 0, 16}, {BPF_RET | BPF_K, 0, 0, 1}},
      {{BPF_ALU | BPF_DIV | BPF_K, 0, 0, 0}, {BPF_RET | BPF_K, 0, 0, 1}},
      {{0xffff, 0, 0, 0}, {BPF_RET | BPF_K, 0, 0, 1}}};
  for (const FilterProgram& program : cases) EXPECT_FALSE(translate_filter(program, {}, 0));
  EXPECT_FALSE(translate_filter(PacketFilter("ip6 protochain 6").program(kLinkEthernet), {}, 0));  // jumps back
}

}  // namespace
}  // namespace warpmeter::test
