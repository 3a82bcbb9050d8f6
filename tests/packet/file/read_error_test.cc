// What the system does not give is no end of a file.
#include "packet/file/byte_source.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "packet/file/file_source.h"
#include "support/scratch_folder.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

TEST(ReadError, OfADiskSaysFromWhereOn) {
  auto file = std::make_shared<RegularFile>(Descriptor(open("/proc/self/mem", O_RDONLY | O_CLOEXEC)), 100);
  FileSource source("memory", file, 0);
  EXPECT_EQ(test::thrown_text([&] { source.need(1); }), "memory: Input/output error");
  FileSource later("memory", file, 40);
  EXPECT_THROW(later.need(1), ReadError);
  EXPECT_EQ(test::thrown_text([&] { later.need(1); }),
            "memory: Input/output error; what lies behind byte 40 could not be read");
}

// A file that is closed meanwhile, as one of very many is, has to be opened again.
TEST(ReadError, OfTooManyOpenFilesSaysSo) {
  const test::ScratchFolder folder;
  test::write_file(folder.file("a"), std::string(1 << 20, 'x'));
  const int fd = open(folder.file("a").c_str(), O_RDONLY | O_CLOEXEC);
  FileSource source("a", std::make_shared<RegularFile>(Descriptor(fd), 1 << 20, folder.file("a")), 0);
  ASSERT_TRUE(source.need(100));
  source.park();
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{static_cast<rlim_t>(fd), before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  const std::string text = test::thrown_text([&] { source.need(1 << 19); });
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_TRUE(text.starts_with("a: Too many open files (ulimit -n allows more)")) << text;
}

// What it gave before is there.
TEST(ReadError, ComesBehindWhatCouldBeRead) {
  const test::ScratchFolder folder;
  test::write_file(folder.file("a"), std::string(100, 'x'));
  Descriptor file(open(folder.file("a").c_str(), O_RDONLY | O_CLOEXEC));
  const auto longer =
      std::make_shared<RegularFile>(std::move(file), 200, folder.file("a"));  // shorter by now, which is none
  FileSource source("a", longer, 0);
  EXPECT_TRUE(source.need(100));
  EXPECT_FALSE(source.need(101));
  EXPECT_EQ(source.broken(), kShrank);
}

}  // namespace
}  // namespace warpmeter
