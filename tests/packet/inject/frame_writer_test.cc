// Frames given to sockets that are full, and that are no more.
#include "packet/inject/frame_writer.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "support/thrown_text.h"

namespace warpmeter::test {
namespace {

using Clock = std::chrono::steady_clock;

class FrameWriterTest : public testing::Test {
 protected:
  FrameWriterTest() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends_.data()), 0); }
  ~FrameWriterTest() override {
    close(ends_[0]);
    close(ends_[1]);
  }

  std::string got() const {
    std::string text(4096, '\0');
    const ssize_t size = read(ends_[1], text.data(), text.size());
    text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    return text;
  }
  void write(FrameWriter& writer, const std::string& text) const {
    writer.write({}, reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  }

  std::array<int, 2> ends_{};
};

TEST_F(FrameWriterTest, PutsTheHeaderBeforeEachFrame) {
  FrameWriter writer(ends_[0], "out");
  std::string one = "one", two = "two";
  std::vector<iovec> pieces{{}, {one.data(), 3}, {two.data(), 3}};
  const VnetHeader header{.flags = 1, .type = VnetHeader::kTcp4, .header_bytes = 54, .segment_bytes = 1448};
  writer.write(header, pieces);
  const std::string all = got();
  ASSERT_EQ(all.size(), sizeof header + 6);
  EXPECT_EQ(std::memcmp(all.data(), &header, sizeof header), 0);
  EXPECT_EQ(all.substr(sizeof header), "onetwo");
  EXPECT_EQ(writer.counts().frames, 1u);
  EXPECT_EQ(writer.counts().bytes, 6u);
  EXPECT_EQ(writer.counts().full + writer.counts().down + writer.counts().refused, 0u);
}

TEST_F(FrameWriterTest, CountsWhatIsNotEvenTried) {
  FrameWriter writer(ends_[0], "out");
  writer.refuse();
  EXPECT_EQ(writer.counts().refused, 1u);
  EXPECT_EQ(writer.counts().frames, 0u);
}

TEST_F(FrameWriterTest, WaitsForRoomNoLongerThanItsPatience) {
  FrameWriter writer(ends_[0], "out");
  const std::string frame(1000, 'x');
  const auto begin = Clock::now();
  while (writer.counts().full == 0) write(writer, frame);
  const auto waited = Clock::now() - begin;
  EXPECT_GE(waited, std::chrono::milliseconds(FrameWriter::kPatienceMs) / 2);
  EXPECT_LT(waited, std::chrono::seconds(30));
  // The next ones are not waited for, or nothing else would go on.
  const auto again = Clock::now();
  for (int i = 0; i < 1000; ++i) write(writer, frame);
  EXPECT_LT(Clock::now() - again, std::chrono::milliseconds(1000 * FrameWriter::kPatienceMs / 2));
  EXPECT_EQ(writer.counts().full, 1001u);
  while (!got().empty()) {
  }
  const std::uint64_t before = writer.counts().frames;
  write(writer, frame);
  EXPECT_EQ(writer.counts().frames, before + 1);
}

TEST_F(FrameWriterTest, ASlowReaderLosesNothing) {
  FrameWriter writer(ends_[0], "out");
  std::size_t read = 0;
  std::jthread reader([&](const std::stop_token& stop) {
    while (!stop.stop_requested() || !got().empty()) {
      if (!got().empty()) ++read;
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  });
  for (int i = 0; i < 2000; ++i) write(writer, std::string(1000, 'x'));
  EXPECT_EQ(writer.counts().full, 0u);
  EXPECT_EQ(writer.counts().frames, 2000u);
}

TEST_F(FrameWriterTest, WhatIsRefusedIsCounted) {
  FrameWriter writer(ends_[0], "out");
  write(writer, std::string(8 << 20, 'x'));  // EMSGSIZE
  EXPECT_EQ(writer.counts().refused, 1u);
  EXPECT_EQ(writer.counts().frames, 0u);
}

}  // namespace
}  // namespace warpmeter::test
