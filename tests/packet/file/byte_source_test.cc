// Opening sources: files, pipes, and what cannot be opened.
#include "packet/file/byte_source.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <fstream>
#include <thread>

#include "support/scratch_folder.h"
#include "warpmeter/status.h"

namespace warpmeter::test {
namespace {

class ByteSourceTest : public testing::Test {
 protected:
  std::string error_of(const std::string& path) {
    try {
      open_byte_source(path, stop_);
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), ExitStatus::failed);
      return error.what();
    }
    return {};
  }

  const ScratchFolder folder_;
  const std::atomic<bool> stop_ = false;
};

TEST_F(ByteSourceTest, SmallFileIsShownWhole) {
  const auto source = open_byte_source(folder_.write("file", counting_bytes(100)), stop_);
  EXPECT_EQ(source->size(), 100u);
  EXPECT_EQ(source->offset(), 0u);
  EXPECT_TRUE(source->need(1));
  EXPECT_EQ(source->left(), 100u);
  EXPECT_EQ(source->at()[99], 99);
}

TEST_F(ByteSourceTest, AdvancingMovesTheWindow) {
  const auto source = open_byte_source(folder_.write("file", counting_bytes(100)), stop_);
  source->need(60);
  source->advance(60);
  EXPECT_EQ(source->offset(), 60u);
  EXPECT_EQ(source->left(), 40u);
  EXPECT_EQ(source->at()[0], 60);
}

TEST_F(ByteSourceTest, NeedIsMetUpToTheEndAndNotBeyond) {
  const auto source = open_byte_source(folder_.write("file", counting_bytes(100)), stop_);
  source->need(60);
  source->advance(60);
  EXPECT_TRUE(source->need(40));
  EXPECT_FALSE(source->need(41));
  EXPECT_EQ(source->left(), 40u);
  EXPECT_EQ(source->at()[0], 60);
}

TEST_F(ByteSourceTest, LentBytesOutliveTheSource) {
  ByteSource::Leases leases;
  auto source = open_byte_source(folder_.write("file", counting_bytes(100)), stop_);
  source->need(1);
  source->lend_to(&leases);
  const std::uint8_t* bytes = source->at();
  source.reset();
  EXPECT_EQ(bytes[42], 42);
}

TEST_F(ByteSourceTest, EmptyFileHasNothing) {
  const auto source = open_byte_source(folder_.write("empty", {}), stop_);
  EXPECT_FALSE(source->need(1));
  EXPECT_EQ(source->left(), 0u);
  EXPECT_EQ(source->size(), 0u);
}

TEST_F(ByteSourceTest, NamedPipeIsReadAsItComes) {
  const std::string path = folder_.file("fifo");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(path, std::ios::binary) << "twelve bytes"; });
  const auto source = open_byte_source(path, stop_);
  EXPECT_TRUE(source->need(12));
  EXPECT_FALSE(source->need(13));
  EXPECT_EQ(std::memcmp(source->at(), "twelve bytes", 12), 0);
  writer.join();
}

TEST_F(ByteSourceTest, MissingFileIsAnErrorWithNameAndReason) {
  EXPECT_EQ(error_of(folder_.file("none")), folder_.file("none") + ": No such file or directory");
}

TEST_F(ByteSourceTest, FolderIsAnError) { EXPECT_EQ(error_of(folder_.path()), folder_.path() + ": Is a directory"); }

}  // namespace
}  // namespace warpmeter::test
