// The command: what is in the outputs, and what it comes to.
#include "command/merge/merge.h"

#include <gtest/gtest.h>

#include "command/merge/merge_cases.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using test::file_text;
using test::merged_flow;
using test::ScratchFolder;
using test::thrown_text;

class MergeTest : public testing::Test {
 protected:
  MergeOptions options(std::initializer_list<std::string> files) const {
    MergeOptions o;
    o.files = files;
    o.output.file = folder_.file("out.csv");
    o.limits.tmpdir = folder_.path();
    o.quiet = true;
    return o;
  }
  std::string file(const std::string& name, const std::vector<Biflow>& flows, const RecordLayout& layout = {}) const {
    return test::write_flow_file(folder_.file(name), flows, layout);
  }

  const ScratchFolder folder_;
  std::atomic<bool> interrupted_ = false;
};

TEST_F(MergeTest, WritesWhatOneFileOfAllWouldBe) {
  const Biflow a = merged_flow(1, 1, 1), b = merged_flow(2, 1, 1), c = merged_flow(3, 1, 1);
  MergeOptions o = options({file("1.csv", {a, c}), file("2.json", {b})});
  o.output.also.emplace_back().file = folder_.file("out.json");
  o.output.also[0].format = Format::json;
  EXPECT_EQ(merge(o, interrupted_), ExitStatus::ok);
  EXPECT_EQ(file_text(folder_.file("out.csv")), file_text(file("wanted.csv", {a, b, c})));
  EXPECT_EQ(file_text(folder_.file("out.json")), file_text(file("wanted.json", {a, b, c})));
}

TEST_F(MergeTest, AFileOutOfOrderLeavesNoOutput) {
  MergeOptions o = options({file("1.csv", {merged_flow(2, 1, 1), merged_flow(1, 1, 1)})});
  EXPECT_NE(thrown_text([&] { merge(o, interrupted_); }), "");
  EXPECT_EQ(folder_.entries(), 1U);
}

TEST_F(MergeTest, AnInterruptLeavesNoOutput) {
  interrupted_ = true;
  MergeOptions o = options({file("1.csv", {merged_flow(1, 1, 1)})});
  try {
    merge(o, interrupted_);
    FAIL() << "no Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), ExitStatus::interrupted) << error.what();
  }
  EXPECT_EQ(folder_.entries(), 1U);
}

TEST_F(MergeTest, DamageIsTheRestOfItsFileOnly) {
  const Biflow a = merged_flow(1, 1, 1), b = merged_flow(2, 1, 1), c = merged_flow(3, 1, 1);
  const std::string cut = file("1.csv", {a, b});
  std::filesystem::resize_file(cut, std::filesystem::file_size(cut) - 1);
  EXPECT_EQ(merge(options({cut, file("2.csv", {c})}), interrupted_), ExitStatus::damaged);
  EXPECT_EQ(file_text(folder_.file("out.csv")), file_text(file("wanted.csv", {a, c})));
}

// JSON has no header: what its later lines have besides cannot be known.
TEST_F(MergeTest, ColumnsThatComeLaterAreRefused) {
  Biflow tagged = merged_flow(2, 1, 1);
  tagged.forward.key.vlan[1] = 7;
  const std::string plain = file_text(file("1.json", {merged_flow(1, 1, 1)}));
  const std::string mixed = plain + file_text(file("2.json", {tagged}, {.vlan = true}));
  test::write_file(folder_.file("3.json"), mixed);
  EXPECT_EQ(thrown_text([&] { merge(options({folder_.file("3.json")}), interrupted_); }),
            "a flow has a column vlan_id, which no file had in its first flow: the outputs have begun without");
}

}  // namespace
}  // namespace warpmeter
