// Windows: what they show, where it lies, and how the last bytes are told.
#include "packet/file/regular_file.h"

#include <gtest/gtest.h>

#include "support/byte_writer.h"

namespace warpmeter::test {
namespace {

TEST(FileView, ShowsAnyPart) {
  const Bytes content = counting_bytes(20'000);
  const RegularFile file(content.data(), content.size());
  FileView view;
  for (const std::uint64_t from : {0, 1, 4095, 4096, 4097, 19'999}) {
    for (const std::uint64_t until : {20'000, 19'999, 12'000, 100'000}) {
      if (until < from) continue;
      const FileBytes bytes = view.show(file, from, until);
      const std::uint64_t end = std::min<std::uint64_t>(until, 20'000);
      EXPECT_EQ(bytes.begin, from);
      ASSERT_EQ(bytes.end, end);
      EXPECT_EQ(bytes.last, end == 20'000);
      EXPECT_TRUE(std::equal(bytes.at(from), bytes.at(end), content.data() + from));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes.at(from)) % 4096, from % 4096);
    }
  }
}

// What is leased stays as it was, whatever is shown next; what was let go of is used again.
TEST(FileView, LeasedBytesStay) {
  const Bytes content = counting_bytes(20'000);
  const RegularFile file(content.data(), content.size());
  FileView view;
  const FileBytes first = view.show(file, 0, 5000);
  Lease lease = view.lease();
  const FileBytes second = view.show(file, 7000, 12'000);
  Lease other = view.lease();
  view.show(file, 1000, 20'000);
  EXPECT_TRUE(std::equal(first.at(0), first.at(5000), content.data()));
  EXPECT_TRUE(std::equal(second.at(7000), second.at(12'000), content.data() + 7000));
  other.reset();
  const Lease third = view.lease();
  EXPECT_EQ(view.show(file, 7000, 9000).data, second.data);
  EXPECT_TRUE(std::equal(first.at(0), first.at(5000), content.data()));
}

TEST(FileView, ReadsNothingThatItShows) {
  Bytes content = counting_bytes(20'000);
  const RegularFile file(content.data(), content.size()), same(content.data(), content.size());
  FileView view;
  view.show(file, 5000, 9000);
  EXPECT_EQ(view.read_until(file, 6000), 9000u);
  EXPECT_EQ(view.read_until(file, 4096), 9000u);  // pages are read whole
  EXPECT_EQ(view.read_until(file, 4095), 4095u);
  EXPECT_EQ(view.read_until(file, 9000), 9000u);
  EXPECT_EQ(view.read_until(same, 6000), 6000u);
  const std::uint8_t before = content[6000]++;
  EXPECT_EQ(*view.show(file, 6000, 9000).data, before);
  EXPECT_FALSE(view.show(file, 6000, 9000).last);
  EXPECT_EQ(*view.show(same, 6000, 9000).data, content[6000]);
  EXPECT_EQ(*view.show(file, 6000, 9001).data, content[6000]);
  const Lease lease = view.lease();
  EXPECT_EQ(view.read_until(file, 6000), 6000u);
}

TEST(FileView, NothingBehindTheEnd) {
  const Bytes content = counting_bytes(5000);
  const RegularFile file(content.data(), content.size());
  const FileBytes bytes = FileView().show(file, 5000, 6000);
  EXPECT_EQ(bytes.begin, 5000u);
  EXPECT_EQ(bytes.end, 5000u);
  EXPECT_TRUE(bytes.last);
}

}  // namespace
}  // namespace warpmeter::test
