// A file is read through few pages, in whatever order, as it is.
#include "command/reassemble/spool_window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "support/scratch_folder.h"
#include "support/text_sink.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using test::TextSink;

TEST(SpoolWindow, ReadsHereAndThere) {
  const test::ScratchFolder scratch;
  std::minstd_rand random(3);
  std::string wanted(1'000'003, ' ');
  for (char& byte : wanted) byte = static_cast<char>(random());
  TempFile file(scratch.path());
  file.write(wanted.data(), wanted.size(), 0);
  SpoolWindow window(file, wanted.size());
  for (int i = 0; i < 3000; ++i) {
    const std::size_t most = i % 100 == 0 ? wanted.size() : i % 10 == 0 ? 20'000 : 100;
    const std::size_t place = i == 0 ? 0 : random() % wanted.size();
    const std::size_t bytes = random() % std::min(most, wanted.size() - place + 1);
    std::string got(bytes, ' ');
    window.read(got.data(), bytes, place);
    ASSERT_TRUE(got == wanted.substr(place, bytes)) << bytes << " bytes at " << place;
    TextSink copied;
    window.copy(place, bytes, copied);
    ASSERT_TRUE(copied.text == got) << bytes << " bytes at " << place;
    ASSERT_LE(copied.largest, 64u << 10);
  }
}

TEST(SpoolWindow, SaysWhenTheFileHasBecomeShorter) {
  const test::ScratchFolder scratch;
  TempFile file(scratch.path());
  file.write("some", 4, 0);
  SpoolWindow window(file, 10'000);
  char got[8];
  EXPECT_EQ(test::thrown_text([&] { window.read(got, sizeof got, 0); }), "a run file has become shorter");
  EXPECT_EQ(test::thrown_text([&] { window.read(got, sizeof got, 0); }), "a run file has become shorter");
}

}  // namespace
}  // namespace warpmeter
