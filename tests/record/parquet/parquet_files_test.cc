// Writer and reader as the program gets them: across the border of the module.
#include "record/parquet/parquet_files.h"

#include <gtest/gtest.h>

#include "support/parquet_bytes.h"
#include "support/thrown_text.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

TEST(ParquetFiles, ComeFromTheModule) {
  EXPECT_TRUE(parquet_support().starts_with("built in (Arrow ")) << parquet_support();
  EXPECT_NO_THROW(require_parquet());
  std::mt19937_64 random(1);
  Biflow flow;
  flow.forward = test::random_record(random, false);
  test::StringSink sink;
  const auto writer = make_parquet_writer(sink, {});
  writer->begin();
  writer->write(flow.forward, nullptr);
  writer->end();
  EXPECT_EQ(sink.text, test::parquet_of({flow}, {}));

  const test::ScratchFolder folder;
  test::write_file(folder.file("flows"), sink.text);
  const auto reader = make_parquet_reader(folder.file("flows"));
  Biflow back;
  ASSERT_TRUE(reader->next(back));
  EXPECT_EQ(test::shown(back.forward, reader->layout()), test::shown(flow.forward, {}));
  EXPECT_FALSE(reader->next(back));
  EXPECT_FALSE(reader->damage());
}

struct BrokenSink : ByteSink {
  void write(const void*, std::size_t) override { throw Error("out: gone", ExitStatus::damaged); }
};

TEST(ParquetFiles, ErrorsCrossTheBorder) {
  BrokenSink sink;
  const auto writer = make_parquet_writer(sink, {});
  try {
    writer->begin();
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "out: gone");
    EXPECT_EQ(error.status(), ExitStatus::damaged);
  }
  EXPECT_EQ(test::thrown_text([] { make_parquet_reader("/nowhere"); }),
            "/nowhere: cannot be read: No such file or directory");
}

}  // namespace
}  // namespace warpmeter
