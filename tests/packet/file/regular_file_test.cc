// Regular files: bytes at any place, ends, files that lose or win bytes while they are read, read errors.
#include "packet/file/regular_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "support/scratch_folder.h"

namespace warpmeter::test {
namespace {

class RegularFileTest : public testing::Test {
 protected:
  RegularFileTest() : path_(folder_.write("file", counting_bytes(100))), file_(open_it(), 100) {}
  Descriptor open_it() const { return Descriptor(open(path_.c_str(), O_RDONLY | O_CLOEXEC)); }

  Bytes read(std::uint64_t from, std::uint64_t until) const {
    Bytes bytes(1000);
    bytes.resize(file_.read(bytes.data(), from, until));
    return bytes;
  }

  const ScratchFolder folder_;
  const std::string path_;
  const RegularFile file_;
};

TEST_F(RegularFileTest, AnyPlace) {
  EXPECT_EQ(read(0, 100), counting_bytes(100));
  EXPECT_EQ(read(98, 100), (Bytes{98, 99}));
  EXPECT_EQ(read(40, 41), Bytes{40});
  EXPECT_EQ(read(40, 40), Bytes());
  EXPECT_EQ(file_.problem(), "");
}

std::uint64_t zeros_from(const std::string& path) {
  return RegularFile(Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC)), std::filesystem::file_size(path), path)
      .zeros_from();
}

TEST_F(RegularFileTest, ZerosThatItEndsIn) {
  EXPECT_EQ(file_.zeros_from(), 100u);
  EXPECT_EQ(zeros_from(folder_.write("all", Bytes(5000))), 0u);
  EXPECT_EQ(zeros_from(folder_.write("first", Bytes{7} + Bytes(5'000'000))), 1u);
  EXPECT_EQ(zeros_from(folder_.write("in the middle", Bytes(70'000) + Bytes{7} + Bytes(9))), 70'001u);
  EXPECT_EQ(zeros_from(folder_.write("none", Bytes(3'000'000) + Bytes{7})), 3'000'001u);
  std::filesystem::resize_file(path_, std::uint64_t{1} << 30);
  EXPECT_EQ(zeros_from(path_), 100u);
}

TEST_F(RegularFileTest, NothingBehindTheEnd) {
  EXPECT_EQ(read(90, 300).size(), 10u);
  EXPECT_EQ(read(100, 300).size(), 0u);
  EXPECT_EQ(file_.problem(), "");
}

TEST_F(RegularFileTest, LostBytesAreTold) {
  ASSERT_EQ(truncate(path_.c_str(), 50), 0);
  EXPECT_EQ(read(0, 50), counting_bytes(50));
  EXPECT_EQ(file_.problem(), "");
  EXPECT_EQ(read(40, 100).size(), 10u);
  EXPECT_EQ(file_.problem(), "the file shrank while it was read");
  EXPECT_EQ(read(60, 100).size(), 0u);
}

TEST_F(RegularFileTest, WhatComesLaterIsNoPart) {
  EXPECT_FALSE(file_.grew());
  std::ofstream(path_, std::ios::app) << "more";
  EXPECT_EQ(read(90, 300).size(), 10u);
  EXPECT_TRUE(file_.grew());
}

TEST_F(RegularFileTest, ReadErrorsAreTold) {
  const RegularFile folder(Descriptor(open(folder_.path().c_str(), O_RDONLY | O_CLOEXEC)), 100);
  std::uint8_t byte;
  EXPECT_EQ(folder.read(&byte, 0, 1), 0u);
  EXPECT_EQ(folder.error(), EISDIR);
  EXPECT_EQ(folder.problem(), "");
}

TEST_F(RegularFileTest, InMemory) {
  const Bytes bytes = counting_bytes(10);
  const RegularFile file(bytes.data(), bytes.size());
  Bytes some(4);
  EXPECT_EQ(file.read(some.data(), 3, 7), 4u);
  EXPECT_EQ(some, (Bytes{3, 4, 5, 6}));
  EXPECT_FALSE(file.grew());
}

}  // namespace
}  // namespace warpmeter::test
