// Mapped files: where reading begins, and that bytes given back to the system can be read again.
#include "capture/mapped_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "support/scratch_folder.h"

namespace warpmeter::test {
namespace {

class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : fd_(open(path.c_str(), O_RDWR | O_CLOEXEC)) {}
  ~OpenFile() { close(fd_); }
  int fd() const { return fd_; }

 private:
  int fd_;
};

TEST(MappedFile, BeginsWhereTheFileWasReadTo) {
  const ScratchFolder folder;
  const OpenFile file(folder.write("file", counting_bytes(100)));
  ASSERT_EQ(lseek(file.fd(), 30, SEEK_SET), 30);
  const auto mapped = MappedFile::map(file.fd(), 100);
  ASSERT_TRUE(mapped);
  EXPECT_EQ(mapped->offset(), 30u);
  EXPECT_EQ(mapped->left(), 70u);
  EXPECT_EQ(mapped->at()[0], 30);
}

TEST(MappedFile, WhatCannotBeMappedIsNull) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_FALSE(MappedFile::map(ends[0], 100));
  close(ends[0]);
  close(ends[1]);
}

// A sparse file; its pages behind the window are given back on the way.
TEST(MappedFile, BytesFarBehindStayReadable) {
  constexpr std::uint64_t kSize = 400 << 20;
  const ScratchFolder folder;
  const OpenFile file(folder.write("sparse", {11, 22}));
  ASSERT_EQ(ftruncate(file.fd(), kSize), 0);
  const auto mapped = MappedFile::map(file.fd(), kSize);
  ASSERT_TRUE(mapped);
  const std::uint8_t* first = mapped->at();
  ByteSource::Owners owners;
  for (int i = 0; i < 4; ++i) {
    mapped->advance(100 << 20);
    mapped->lend_to(&owners);
  }
  EXPECT_EQ(first[0], 11);
  EXPECT_EQ(first[1], 22);
  EXPECT_FALSE(mapped->need(1));
}

}  // namespace
}  // namespace warpmeter::test
