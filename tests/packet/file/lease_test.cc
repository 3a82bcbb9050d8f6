// Bytes that outlive their reading: whatever a trace is read from, they stay while somebody holds their leases.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>

#include "packet/file/trace.h"
#include "pipeline/batches/ordered_batches.h"
#include "support/chunks.h"
#include "support/packed.h"
#include "support/pcap_file.h"
#include "support/pcapng_file.h"
#include "support/scratch_folder.h"

namespace warpmeter::test {
namespace {

// All that was ever read of a source stays in memory.
struct Kept {
  FrameBlock block;

  void begin() { block.clear(); }
  void add(const FrameBlock& more) {
    block.frames.insert(block.frames.end(), more.frames.begin(), more.frames.end());
    block.leases.insert(block.leases.end(), more.leases.begin(), more.leases.end());
  }
  void finish(std::uint64_t first_number) { block.first_number = first_number; }
};

class LeaseTest : public testing::Test {
 protected:
  // With `threads`: the packets, looked at when all have been read and the trace is gone.
  std::vector<TraceContent::Packet> read_and_keep(const std::vector<std::string>& files, unsigned threads) {
    std::vector<FrameBlock> kept;
    {
      Trace trace(files, stop_);
      OrderedBatches<Kept> batches(
          trace, {.workers = threads, .slots = 2 * threads, .consumers = 1, .chunk = {.frames = 50, .keep = true}},
          [] { return Kept(); });
      batches.run([&](unsigned, std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t batch = first; batch < last; ++batch)
          kept.push_back(std::exchange(batches[batch].block, {}));
      });
    }
    TraceContent content;
    for (const FrameBlock& block : kept) content.add(block.first_number, block);
    return content.packets;
  }

  void expect_kept(const std::vector<std::string>& files) {
    const TraceContent expected = read_in_order(files);
    EXPECT_GT(expected.packets.size(), 1000u);
    for (const unsigned threads : {1u, 3u}) EXPECT_TRUE(read_and_keep(files, threads) == expected.packets) << threads;
  }

  static PcapFile pcap() {
    PcapFile file;
    for (std::uint32_t i = 0; i < 2000; ++i) file.record(1'700'000'000, i, counting_bytes(i % 200 + 1));
    return file.record(1'700'000'001, 0, counting_bytes(300'000));  // larger than what is read at once
  }

  const ScratchFolder folder_;
  std::atomic<bool> stop_ = false;
};

TEST_F(LeaseTest, OfPcap) { expect_kept({folder_.write("a", pcap().data())}); }

TEST_F(LeaseTest, OfPcapng) {
  PcapngFile file;
  file.interface(1);
  for (std::uint32_t i = 0; i < 2000; ++i) file.enhanced(0, i, counting_bytes(i % 100 + 1));
  const std::string path = folder_.write("a", file.data());
  expect_kept({path, path});
}

TEST_F(LeaseTest, OfCompressedFiles) {
  for (const Packer& packer : packers()) expect_kept({folder_.write("a" + packer.name, packer.pack(pcap().data()))});
}

TEST_F(LeaseTest, OfPipes) {
  const TraceContent expected = read_in_order({folder_.write("a", pcap().data())});
  const std::string pipe = folder_.file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::jthread writer([&] { write_file(pipe, pcap().data()); });
  EXPECT_TRUE(read_and_keep({pipe}, 3) == expected.packets);
}

TEST_F(LeaseTest, OfFilesThatAreMerged) {
  const std::string a = folder_.write("a", pcap().data()), b = folder_.write("b", pcap().data());
  Trace merged({a, b}, stop_, {.capture = {}, .order = FileOrder::time});
  OrderedBatches<Kept> batches(merged, {.workers = 2, .slots = 3, .consumers = 1, .chunk = {.keep = true}},
                               [] { return Kept(); });
  std::vector<FrameBlock> kept;
  batches.run([&](unsigned, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t batch = first; batch < last; ++batch) kept.push_back(std::exchange(batches[batch].block, {}));
  });
  std::vector<Bytes> frames;
  for (const FrameBlock& block : kept) {
    for (const Frame& frame : block.frames) frames.emplace_back(frame.data, frame.data + frame.captured);
  }
  ASSERT_EQ(frames.size(), 2 * 2001u);
  for (std::size_t i = 0; i < frames.size() - 2; ++i) ASSERT_EQ(frames[i], counting_bytes(i / 2 % 200 + 1)) << i;
}

}  // namespace
}  // namespace warpmeter::test
