// Pipes: bytes that come in pieces, records that straddle buffers, buffers that frames still point into.
#include "packet/file/file_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "packet/file/pcap_reader.h"
#include "support/pcap_file.h"
#include "support/pipe.h"
#include "support/scratch_pipe.h"

namespace warpmeter::test {
namespace {

using namespace std::chrono_literals;

const std::atomic<bool> kGoOn = false;

std::unique_ptr<ByteSource> source_of(const FedPipe& pipe, const std::atomic<bool>& stop = kGoOn) {
  return std::make_unique<PipeSource>(pipe.read_end(), "pipe", stop);
}

TEST(PipeSource, SizeIsNotKnown) {
  const FedPipe pipe({1}, 1);
  EXPECT_EQ(source_of(pipe)->size(), 0u);
}

TEST(PipeSource, WaitsForBytesThatComeOneByOne) {
  const FedPipe pipe(counting_bytes(50), 1, 100us);
  const auto source = source_of(pipe);
  EXPECT_TRUE(source->need(50));
  EXPECT_TRUE(std::equal(source->at(), source->at() + 50, counting_bytes(50).begin()));
}

TEST(PipeSource, EndBeforeWhatIsNeededLeavesTheRest) {
  const FedPipe pipe(counting_bytes(10), 3);
  const auto source = source_of(pipe);
  EXPECT_TRUE(source->need(4));
  source->advance(4);
  EXPECT_FALSE(source->need(7));
  EXPECT_EQ(source->left(), 6u);
  EXPECT_EQ(source->offset(), 4u);
  EXPECT_EQ(source->at()[0], 4);
  EXPECT_FALSE(source->need(7));
}

TEST(PipeSource, WindowGrowsBeyondABuffer) {
  Bytes content(9'000'000);
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<std::uint8_t>(i * 2654435761u >> 24);
  const FedPipe pipe(content, 65536);
  const auto source = source_of(pipe);
  ASSERT_TRUE(source->need(content.size()));
  EXPECT_TRUE(std::equal(content.begin(), content.end(), source->at()));
}

TEST(PipeSource, ClaimedLengthIsNotAllocated) {
  const FedPipe pipe(counting_bytes(10), 10);
  const auto source = source_of(pipe);
  EXPECT_FALSE(source->need(std::size_t{1} << 60));
  EXPECT_EQ(source->left(), 10u);
}

TEST(PipeSource, StopEndsTheWait) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::atomic<bool> stop = false;
  PipeSource source(Descriptor(ends[0]), "pipe", stop);
  std::thread stopper([&] {
    std::this_thread::sleep_for(20ms);
    stop = true;
  });
  EXPECT_FALSE(source.need(1));
  stopper.join();
  close(ends[1]);
}

// The stop was asked for before the pipe was opened.
TEST(PipeSource, StopsBeforeANamedPipeHasAWriter) {
  const NamedPipe pipe;
  const std::atomic<bool> stop = true;
  EXPECT_FALSE(pipe.alone([&] { return open_byte_source(pipe.path(), stop)->need(1); }));
}

TEST(PipeSource, NamedPipeWaitsForItsFirstWriterAndEndsWithTheLast) {
  const NamedPipe pipe;
  std::thread writer([&] {
    std::this_thread::sleep_for(150ms);
    const int first = pipe.writer(), second = pipe.writer();
    EXPECT_EQ(write(first, "12", 2), 2);
    close(first);
    std::this_thread::sleep_for(20ms);
    EXPECT_EQ(write(second, "345", 3), 3);
    close(second);
  });
  const auto source = open_byte_source(pipe.path(), kGoOn);
  EXPECT_TRUE(source->need(5));
  EXPECT_FALSE(source->need(6));
  EXPECT_EQ(source->left(), 5u);
  writer.join();
}

// A terminal can be read on behind its Ctrl-D, as a named pipe behind its last writer.
TEST(PipeSource, NothingIsReadBehindItsEnd) {
  const NamedPipe pipe;
  std::thread writer([&] { close(pipe.writer()); });
  const auto source = open_byte_source(pipe.path(), kGoOn);
  EXPECT_FALSE(source->need(1));
  writer.join();
  const int later = pipe.writer();
  EXPECT_EQ(write(later, "12", 2), 2);
  EXPECT_FALSE(source->need(1));
  close(later);
}

// Records of 1,000,003 bytes: each buffer of 4 MiB ends within one.
PcapFile long_records(std::uint32_t count) {
  PcapFile file;
  for (std::uint32_t i = 0; i < count; ++i) file.record(i, 0, Bytes(1'000'003, static_cast<std::uint8_t>(i + 1)));
  return file;
}

void expect_record(const Frame& frame, std::uint32_t i) {
  ASSERT_EQ(frame.captured, 1'000'003u);
  EXPECT_EQ(frame.time_ns, std::int64_t{i} * 1'000'000'000);
  EXPECT_EQ(std::count(frame.data, frame.data + frame.captured, static_cast<std::uint8_t>(i + 1)), 1'000'003) << i;
}

// All frames are looked at last, when the source has long moved on and is gone.
TEST(PipeSource, FramesThatStraddleBuffersStayWhole) {
  FrameBlock block;
  {
    const FedPipe pipe(long_records(14).data(), 100'000);
    auto source = source_of(pipe);
    ASSERT_TRUE(source->need(24));
    PcapReader reader("pipe", std::move(source));
    EXPECT_FALSE(reader.read(block, 1000));
    EXPECT_FALSE(reader.damage().has_value());
  }
  ASSERT_EQ(block.frames.size(), 14u);
  for (std::uint32_t i = 0; i < 14; ++i) expect_record(block.frames[i], i);
}

TEST(PipeSource, BuffersAreUsedAgainOnlyWhenNoBlockNeedsThem) {
  const FedPipe pipe(long_records(30).data(), 65536);
  auto source = source_of(pipe);
  ASSERT_TRUE(source->need(24));
  PcapReader reader("pipe", std::move(source));
  FrameBlock kept;
  EXPECT_TRUE(reader.read(kept, 5));
  std::uint32_t next = 5;
  for (bool more = true; more;) {
    FrameBlock block;
    more = reader.read(block, 3);
    for (const Frame& frame : block.frames) expect_record(frame, next++);
  }
  EXPECT_EQ(next, 30u);
  for (std::uint32_t i = 0; i < 5; ++i) expect_record(kept.frames[i], i);
}

TEST(PipeSource, SmallRecordsInTinyWrites) {
  PcapFile file;
  for (std::uint32_t i = 0; i < 40; ++i) file.record(i, 0, counting_bytes(i));
  const FedPipe pipe(file.data(), 7);
  auto source = source_of(pipe);
  ASSERT_TRUE(source->need(24));
  PcapReader reader("pipe", std::move(source));
  FrameBlock block;
  EXPECT_FALSE(reader.read(block, 1000));
  ASSERT_EQ(block.frames.size(), 40u);
  for (std::uint32_t i = 0; i < 40; ++i) {
    EXPECT_EQ(Bytes(block.frames[i].data, block.frames[i].data + block.frames[i].captured), counting_bytes(i));
  }
}

TEST(PipeSource, CutRecordIsDamageAtItsOffset) {
  PcapFile file;
  file.record(1, 0, {1, 2, 3}).header(2, 0, 10, 10).raw({1, 2});
  const FedPipe pipe(file.data(), 5);
  auto source = source_of(pipe);
  ASSERT_TRUE(source->need(24));
  PcapReader reader("pipe", std::move(source));
  FrameBlock block;
  EXPECT_FALSE(reader.read(block, 1000));
  EXPECT_EQ(block.frames.size(), 1u);
  ASSERT_TRUE(reader.damage().has_value());
  EXPECT_EQ(reader.damage()->offset, 43u);
  EXPECT_EQ(reader.damage()->reason, "record cut short");
}

}  // namespace
}  // namespace warpmeter::test
