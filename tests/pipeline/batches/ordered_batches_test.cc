// Batches made of a source by many threads: in order, numbered, right although the source guesses wrong; how a failure
// of the source, of a batch and of a consumer ends.
#include "pipeline/batches/ordered_batches.h"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <string>

namespace warpmeter {
namespace {

// Frames whose times are 1, 2, ... A guess is wrong in every `wrong`th chunk, and gives other frames.
class CountingSource : public PacketSource {
 public:
  CountingSource(std::uint64_t chunks, std::uint64_t wrong) : chunks_(chunks), wrong_(wrong) {}
  bool ends() const override { return true; }
  bool repeatable() const override { return true; }

  std::uint64_t fails_in_claim = ~0ull, fails_in_commit = ~0ull;

 private:
  struct Counted : Chunk {
    std::uint64_t index = 0;
    int pieces = 0;
    bool certain = false;
  };
  static constexpr int kPieces = 3;  // a chunk, of one frame more than its index modulo 3

  std::unique_ptr<Chunk> make_chunk() const override { return std::make_unique<Counted>(); }
  bool claim(Chunk& chunk, const ChunkOptions&) override {
    auto& counted = static_cast<Counted&>(chunk);
    if (claimed_ == fails_in_claim) throw std::runtime_error("claim");
    if (claimed_ == chunks_) return false;
    counted.index = claimed_++;
    counted.pieces = 0;
    counted.certain = false;
    return true;
  }
  bool read(Chunk& chunk, FileView&) override {
    auto& counted = static_cast<Counted&>(chunk);
    if (counted.pieces == kPieces) return false;
    const std::uint64_t frames = counted.index % 3 + 1;
    chunk.block.clear();
    // Of the trace: the frames before this chunk, which the commit alone can know.
    const std::uint64_t first = counted.certain ? kPieces * frames_before(counted.index) : 0;
    for (std::uint64_t i = 0; i < frames; ++i) {
      const auto number = static_cast<std::int64_t>(first + counted.pieces * frames + i + 1);
      const bool lies = !counted.certain && is_wrong(counted.index);
      chunk.block.frames.push_back({nullptr, lies ? -1 : counted.certain ? number : kLater, 0, 0, 1});
    }
    ++counted.pieces;
    return true;
  }
  bool commit(Chunk& chunk, FileView&) override {
    auto& counted = static_cast<Counted&>(chunk);
    EXPECT_EQ(counted.index, committed_++);
    EXPECT_EQ(counted.pieces, kPieces);  // read to its end
    if (counted.index == fails_in_commit) throw std::runtime_error("commit");
    number(chunk, kPieces * (counted.index % 3 + 1), 0);
    counted.pieces = 0;
    counted.certain = true;
    return !is_wrong(counted.index);
  }
  bool is_wrong(std::uint64_t index) const { return wrong_ && index % wrong_ == 0; }
  static std::uint64_t frames_before(std::uint64_t index) {
    std::uint64_t frames = 0;
    for (std::uint64_t i = 0; i < index; ++i) frames += i % 3 + 1;
    return frames;
  }

 public:
  static constexpr std::int64_t kLater = 0;  // a frame of a right guess

 private:
  const std::uint64_t chunks_, wrong_;
  std::uint64_t claimed_ = 0, committed_ = 0;
};

struct Times {
  std::vector<std::int64_t> times;
  std::uint64_t first_number = 0;
  bool finished = false;

  void begin() {
    times.clear();
    finished = false;
  }
  void add(const FrameBlock& block) {
    for (const Frame& frame : block.frames) times.push_back(frame.time_ns);
  }
  void finish(std::uint64_t first) {
    first_number = first;
    EXPECT_FALSE(std::exchange(finished, true));
  }
};

// The frames of the batches, each right: numbered in order, and with its own number as its time or of a right guess.
std::uint64_t check(const Times& batch, std::uint64_t before) {
  EXPECT_TRUE(batch.finished);
  EXPECT_EQ(batch.first_number, before + 1);
  std::uint64_t number = batch.first_number;
  for (const std::int64_t time : batch.times) {
    EXPECT_TRUE(time == static_cast<std::int64_t>(number) || time == CountingSource::kLater) << number << ' ' << time;
    ++number;
  }
  return number - 1;
}

std::uint64_t frames_of(std::uint64_t chunks) {
  std::uint64_t frames = 0;
  for (std::uint64_t i = 0; i < chunks; ++i) frames += 3 * (i % 3 + 1);
  return frames;
}

TEST(OrderedBatches, EveryConsumerSeesAllFramesInOrder) {
  for (const unsigned workers : {1u, 2u, 5u}) {
    for (const unsigned chunks : {1u, 4u}) {
      for (const std::uint64_t wrong : {0, 1, 3}) {
        CountingSource source(301, wrong);
        OrderedBatches<Times> batches(source,
                                      {.workers = workers, .slots = 2 * workers - 1, .consumers = 3, .chunks = chunks},
                                      [] { return Times(); });
        std::vector<std::uint64_t> frames(3);
        batches.run([&](unsigned consumer, std::uint64_t first, std::uint64_t last) {
          for (std::uint64_t batch = first; batch < last; ++batch)
            frames[consumer] = check(batches[batch], frames[consumer]);
        });
        for (const std::uint64_t seen : frames) EXPECT_EQ(seen, frames_of(301));
        EXPECT_EQ(source.frames_read(), frames_of(301));
      }
    }
  }
}

TEST(OrderedBatches, ThreadOutsideSeesAllFramesInOrder) {
  CountingSource source(200, 7);
  OrderedBatches<Times> batches(source, {.workers = 3, .slots = 4, .chunks = 3}, [] { return Times(); });
  std::vector<std::jthread> workers;
  for (unsigned i = 0; i < 3; ++i) workers.emplace_back([&, i] { batches.work(i); });
  std::uint64_t frames = 0;
  for (std::uint64_t batch = 0; batches.wait_for(batch); ++batch) {
    frames = check(batches[batch], frames);
    batches.release(batch);
  }
  EXPECT_EQ(frames, frames_of(200));
}

void expect_failure(CountingSource& source, const std::string& text, bool consumer_fails) {
  OrderedBatches<Times> batches(source, {.workers = 3, .slots = 5, .consumers = 2}, [] { return Times(); });
  try {
    batches.run([&](unsigned, std::uint64_t first, std::uint64_t) {
      if (consumer_fails && first > 9) throw std::runtime_error("consume");
    });
    FAIL() << "nothing thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(), text);
  }
}

TEST(OrderedBatches, WhatAThreadThrowsEndsAllOfThem) {
  for (const std::uint64_t at : {0, 1, 50}) {
    CountingSource claim(100, 0), commit(100, 0);
    claim.fails_in_claim = at;
    expect_failure(claim, "claim", false);
    commit.fails_in_commit = at;
    expect_failure(commit, "commit", false);
  }
  CountingSource source(100, 0);
  expect_failure(source, "consume", true);
}

// A source that ends after so many chunks, and goes on behind that.
class PausingSource : public PacketSource {
 public:
  bool ends() const override { return true; }
  bool repeatable() const override { return false; }

 private:
  bool claim(Chunk& chunk, const ChunkOptions&) override {
    if (++claims_ % 8 == 0) return false;
    chunk.block.frames.push_back({nullptr, 0, 0, 0, 1});
    return true;
  }
  std::uint64_t claims_ = 0;
};

struct FrameCount {
  void begin() { frames = 0; }
  void add(const FrameBlock& block) { frames += block.frames.size(); }
  void finish(std::uint64_t) {}
  std::size_t frames = 0;
};

TEST(OrderedBatches, GoOnBehindTheEndOfASource) {
  for (const unsigned workers : {1u, 4u}) {
    PausingSource source;
    OrderedBatches<FrameCount> batches(source, {.workers = workers, .slots = 3, .consumers = 1},
                                       [] { return FrameCount(); });
    std::size_t frames = 0;
    for (std::size_t run = 1; run <= 5; ++run) {
      batches.run([&](unsigned, std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t batch = first; batch < last; ++batch) frames += batches[batch].frames;
      });
      EXPECT_EQ(frames, 7 * run) << workers;  // all are consumed when it returns
    }
  }
}

}  // namespace
}  // namespace warpmeter
