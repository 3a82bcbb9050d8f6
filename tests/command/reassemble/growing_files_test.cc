// Many files grow beside each other with few descriptors, and none takes another's bytes.
#include "command/reassemble/growing_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <random>

#include "support/scratch_folder.h"
#include "support/stream_maker.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using test::file_text;
using test::ScratchFolder;
using test::thrown_text;

StreamName name_of(std::uint64_t packet) {
  return StreamName::of_connection(test::connection_of(packet, test::stream_key()), StreamFileNames::numbered, 0);
}

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::size_t open_files() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(all, {}));
}

class GrowingFilesTest : public testing::Test {
 protected:
  GrowingFilesTest() : descriptor_(open(scratch_.path().c_str(), O_RDONLY | O_DIRECTORY)) {}
  ~GrowingFilesTest() override { close(descriptor_); }

  void write(GrowingFiles& files, GrowingFile& file, std::uint64_t number, std::string_view text) {
    if (!files.is_open(file)) files.open(file, name_of(number));
    files.write(file, bytes_of(text));
  }
  std::string text_of(std::uint64_t number) { return file_text(scratch_.file(std::string(name_of(number).view()))); }

  const ScratchFolder scratch_;
  const int descriptor_;
};

TEST_F(GrowingFilesTest, GrowBesideEachOther) {
  std::minstd_rand random(3);
  for (const std::size_t most_open : {1u, 2u, 5u, 100u}) {
    const std::size_t before = open_files();
    GrowingFiles files("folder", descriptor_, most_open);
    std::vector<GrowingFile> all(20);
    std::vector<std::string> wanted(all.size());
    for (int step = 0; step < 500; ++step) {
      const std::size_t i = random() % all.size();
      const std::string text = std::to_string(step) + " ";
      write(files, all[i], 100 * most_open + i, text);
      wanted[i] += text;
      if (random() % 5 == 0) files.close(all[random() % all.size()]);
      EXPECT_LE(open_files(), before + most_open);
    }
    files.close_all();
    EXPECT_EQ(open_files(), before);
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(text_of(100 * most_open + i), wanted[i]);
  }
}

TEST_F(GrowingFilesTest, ClosesTheOneThatWasWrittenLongestAgo) {
  GrowingFiles files("folder", descriptor_, 2);
  GrowingFile a, b, c;
  write(files, a, 1, "a");
  write(files, b, 2, "b");
  write(files, a, 1, "a");
  write(files, c, 3, "c");
  EXPECT_TRUE(files.is_open(a));
  EXPECT_FALSE(files.is_open(b));
  files.close(a);
  write(files, b, 2, "b");  // where a was
  EXPECT_TRUE(files.is_open(c));
  EXPECT_EQ(text_of(2), "bb");
}

TEST_F(GrowingFilesTest, TakeNoFileThatIsThere) {
  test::write_file(scratch_.file(std::string(name_of(1).view())), std::string("of others"));
  GrowingFiles files("folder", descriptor_, 2);
  GrowingFile file;
  EXPECT_EQ(thrown_text([&] { files.open(file, name_of(1)); }), "folder/000000000001: cannot be written: File exists");
  ASSERT_EQ(symlink("elsewhere", scratch_.file(std::string(name_of(2).view())).c_str()), 0);
  EXPECT_EQ(thrown_text([&] { files.open(file, name_of(2)); }), "folder/000000000002: cannot be written: File exists");
}

// What was put in a file's place meanwhile is not followed.
TEST_F(GrowingFilesTest, FollowNoLinkWhereAFileWas) {
  GrowingFiles files("folder", descriptor_, 2);
  GrowingFile file;
  write(files, file, 1, "mine");
  files.close(file);
  test::write_file(scratch_.file("other"), std::string("other"));
  ASSERT_EQ(unlinkat(descriptor_, name_of(1).c_str(), 0), 0);
  ASSERT_EQ(symlinkat("other", descriptor_, name_of(1).c_str()), 0);
  EXPECT_NE(thrown_text([&] { write(files, file, 1, "more"); }).find("folder/000000000001: cannot be written: "),
            std::string::npos);
  EXPECT_EQ(file_text(scratch_.file("other")), "other");
}

}  // namespace
}  // namespace warpmeter
