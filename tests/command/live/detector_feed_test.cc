// A detector that comes, goes and comes again, reads slowly or not at all: what it gets, and that nobody waits for it
// longer than that is worth.
#include "command/live/detector_feed.h"

#include <gtest/gtest.h>

#include "command/live/metered_rings.h"
#include "command/live/told_records.h"
#include "command/live/unix_detector.h"
#include "support/scratch_folder.h"
#include "support/stream_maker.h"
#include "support/thrown_text.h"

namespace warpmeter::test {
namespace {

constexpr std::uint64_t kFeedRoom = 1 << 20;

class DetectorFeedTest : public testing::Test {
 protected:
  void begin() { feed_ = std::make_unique<DetectorFeed>(path_, queue_, gives_up_); }
  void block(const std::string& text) {
    StreamMaker maker;
    maker.add(kClient, text).give(queue_, connection_);
    queue_.publish();
  }
  // The connection's end, and that of all.
  void end() {
    feed_->begin_end([this] {
      queue_.ended(connection_, ended_by(StreamReason::end));
      return std::uint64_t{3};
    });
  }

  const ScratchFolder folder_;
  const std::string path_ = folder_.file("socket");
  std::atomic<bool> gives_up_ = false;
  DetectorQueue queue_{kFeedRoom};
  TcpConnection connection_ = connection_of(1, stream_key());
  std::unique_ptr<DetectorFeed> feed_;
};

TEST_F(DetectorFeedTest, DetectorThatListensGetsAll) {
  UnixDetector detector(path_);
  begin();
  queue_.opened(connection_);
  block("abc");
  detector.accept();
  std::string stream = detector.read(sizeof(StreamsHeader) + 8 + sizeof(OpenedRecord));  // at once, not at the end
  block(std::string(10'000, 'x'));
  end();
  stream += detector.read_all();
  feed_->finish();
  EXPECT_EQ(records_in_words(stream), "opened 1\nblock 1: c0 abc\nblock 1: c0 10000\nended 1\nlast 1\n");
}

TEST_F(DetectorFeedTest, DetectorMayComeLateGoAndComeAgain) {
  begin();
  queue_.opened(connection_);
  block("before");
  {
    UnixDetector detector(path_);
    detector.accept();
    wait_until([&] { return queue_.counts().connected; });
    block("first");
    const std::string first = detector.read(sizeof(StreamsHeader) + 1);
    EXPECT_EQ(first.substr(0, 5), "WMSTR");
  }
  wait_until([&] { return !queue_.counts().connected; });
  block("between");
  UnixDetector detector(path_);
  detector.accept();
  wait_until([&] { return queue_.counts().connected; });
  block("second");
  end();
  EXPECT_EQ(records_in_words(detector.read_all()), "opened 1\nblock 1: c0 second\nended 1\nlast 1\n");
  feed_->finish();
  EXPECT_GE(queue_.counts().unread_bytes, std::string("beforebetween").size());
  EXPECT_EQ(queue_.counts().readers, 2u);
}

// What is put in finds no room, whoever puts it in does not wait; at the end all that waits is read.
TEST_F(DetectorFeedTest, SlowDetectorLosesWholeBlocks) {
  UnixDetector detector(path_);
  begin();
  queue_.opened(connection_);
  detector.accept();
  for (int i = 0; i < 300; ++i) block(std::string(10'000, 'x'));
  const StreamFeedCounts counts = queue_.counts();
  EXPECT_GT(counts.dropped_blocks, 0u);
  EXPECT_EQ(counts.dropped_bytes, 10'000 * counts.dropped_blocks);
  end();
  const std::string words = records_in_words(detector.read_all());
  feed_->finish();
  std::size_t blocks = 0, dropped = 0;
  for (std::size_t at = words.find("block "); at != std::string::npos; at = words.find("block ", at + 1)) ++blocks;
  const std::string told = "\ndropped ";  // perhaps more than once: the socket takes some meanwhile
  for (std::size_t at = words.find(told); at != std::string::npos; at = words.find(told, at + 1)) {
    dropped += std::stoul(words.substr(at + told.size()));
  }
  EXPECT_EQ(blocks + dropped, 300u);
  EXPECT_EQ(dropped, counts.dropped_blocks);
  EXPECT_EQ(words.substr(words.size() - 15), "ended 1\nlast 1\n");
}

TEST_F(DetectorFeedTest, DetectorThatNeverReadsIsGivenUp) {
  UnixDetector detector(path_);
  begin();
  queue_.opened(connection_);
  detector.accept();
  for (int i = 0; i < 300; ++i) block(std::string(10'000, 'x'));
  end();
  std::jthread limit([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    gives_up_ = true;
  });
  const auto start = std::chrono::steady_clock::now();
  feed_->finish();
  EXPECT_GT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(200));
  const StreamFeedCounts counts = queue_.counts();
  EXPECT_FALSE(counts.connected);
  EXPECT_GT(counts.unread_blocks, 50u);  // waited in vain
  EXPECT_LT(counts.unread_blocks + counts.dropped_blocks, 300u);
}

// As a detector that finds its own start wrong: it is tried no more often than one that is not there.
TEST_F(DetectorFeedTest, DetectorThatHangsUpAtOnceIsTriedSeldom) {
  UnixDetector detector(path_);
  begin();
  const auto start = std::chrono::steady_clock::now();
  constexpr unsigned kTimes = 4;
  for (unsigned i = 0; i < kTimes; ++i) {
    detector.accept();
    detector.hang_up();
  }
  EXPECT_GT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds((kTimes - 1) * 200));
  end();
  feed_->finish();
}

TEST_F(DetectorFeedTest, WithoutADetectorTheEndIsSoon) {
  begin();
  queue_.opened(connection_);
  block("abc");
  end();
  feed_->finish();
  EXPECT_EQ(queue_.counts().ended, 1u);
  EXPECT_EQ(queue_.counts().unread_blocks, 1u);
  EXPECT_EQ(queue_.counts().readers, 0u);
}

// A run that failed: nobody is told that all is there.
TEST_F(DetectorFeedTest, WithoutItsEndTheStreamIsCutShort) {
  UnixDetector detector(path_);
  begin();
  queue_.opened(connection_);
  queue_.publish();
  detector.accept();
  std::string stream = detector.read(sizeof(StreamsHeader) + 8 + sizeof(OpenedRecord));
  feed_.reset();
  stream += detector.read_all();
  EXPECT_EQ(records_in_words(stream), "opened 1\n");
}

TEST_F(DetectorFeedTest, WhereNobodyCanListenIsAnError) {
  write_file(path_, std::string("a file"));
  EXPECT_EQ(thrown_text([this] { begin(); }),
            "--streams unix:" + path_ + ": no socket, but a file or folder that is there already");
}

}  // namespace
}  // namespace warpmeter::test
