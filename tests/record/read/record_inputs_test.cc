// Which files of Flow Records inputs stand for.
#include "record/read/record_inputs.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "support/thrown_text.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHeader = "src_addr,dst_addr,src_port,dst_port,protocol,start_ns,end_ns,packets\n";
constexpr const char* kObject = R"({"src_addr":"1.2.3.4","dst_addr":"1.2.3.5","src_port":1,"dst_port":2,"protocol":6})";

class RecordInputsTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(top_);
    fs::create_directories(top_);
  }
  void TearDown() override { fs::remove_all(top_); }

  void write(const std::string& name, const std::string& text = kHeader) {
    fs::create_directories((top_ / name).parent_path());
    std::ofstream(top_ / name) << text;
  }

  RecordInputs expand(const std::vector<std::string>& names, bool recursive = false) {
    std::vector<std::string> inputs;
    for (const std::string& name : names) inputs.push_back(name == "-" ? name : (top_ / name).string());
    return expand_record_inputs(inputs, recursive, never_);
  }

  // Without the folder before them.
  std::vector<std::string> files(const std::vector<std::string>& names, bool recursive = false) {
    std::vector<std::string> found = expand(names, recursive).files;
    for (std::string& file : found) {
      if (file.starts_with(top_.string())) file = file.substr(top_.string().size() + 1);
    }
    return found;
  }

  const std::atomic<bool> never_ = false;
  const fs::path top_ = fs::temp_directory_path() / ("record_inputs_test." + std::to_string(getpid()));
};

using Files = std::vector<std::string>;

TEST_F(RecordInputsTest, FilesStayAsTheyAre) {
  write("b.csv");
  write("a.csv", "anything");
  EXPECT_EQ(files({"b.csv", "-", "a.csv"}), (Files{"b.csv", "-", "a.csv"}));
  EXPECT_FALSE(expand({"b.csv"}).of_several);
}

TEST_F(RecordInputsTest, OfAFolderThoseOfAllFormatsByTheirContent) {
  write("f/b10.txt");
  write("f/b9", kObject);
  write("f/quoted.csv", "\xef\xbb\xbf\"protocol\", \"src_addr\",x,dst_addr,dst_port,src_port\r\n");
  write("f/messages", std::string("\0\x0a\0\x20", 4) + std::string(28, '\0'));
  write("f/table", "PAR1" + std::string(20, 'x'));  // damaged
  write("f/cut.csv", "src_addr,dst_ad");
  write("f/cut.json", R"({"src_addr":"1.2)");
  write("f/none.json", "");
  write("f/sums.csv", "src_addr,flows,packets\n10.0.0.1,2,3\n");
  write("f/sums.json", R"({"src_addr":"10.0.0.1","flows":3})"
                       "\n");
  write("f/notes", "src_addr dst_addr src_port dst_port protocol\n");
  write("f/other.parquet", "PAR1schema x y" + std::string("\x0a\0\0\0PAR1", 8));
  write("f/nothing", "");
  write("f/zeros", std::string(100, '\0'));
  const RecordInputs found = expand({"f"});
  EXPECT_EQ(files({"f"}), (Files{"f/b9", "f/b10.txt", "f/cut.csv", "f/cut.json", "f/messages", "f/none.json",
                                 "f/quoted.csv", "f/table"}));
  EXPECT_EQ(found.passed_over, 6u);
  EXPECT_TRUE(found.unreadable.empty());
  EXPECT_TRUE(found.of_several);
}

TEST_F(RecordInputsTest, PartsAndHiddenFilesAreNotLookedAt) {
  write("f/a.csv");
  write("f/b.csv.part");
  write("f/.c.csv");
  EXPECT_EQ(files({"f"}), Files{"f/a.csv"});
  EXPECT_EQ(expand({"f"}).passed_over, 0u);
}

TEST_F(RecordInputsTest, AFileIsTakenOnce) {
  write("f/a.csv");
  fs::create_symlink("a.csv", top_ / "f/latest.csv");
  fs::create_hard_link(top_ / "f/a.csv", top_ / "f/same.csv");
  EXPECT_EQ(files({"f"}), Files{"f/a.csv"});
  EXPECT_EQ(expand({"f"}).again, 2u);
  EXPECT_EQ(files({"f/same.csv", "f", "f/a.csv", "f/latest.csv"}), Files{"f/same.csv"});
  EXPECT_EQ(told(expand({"f/a.csv", "f/a.csv"}), 0), "1 file, 1 named again and read once");
  EXPECT_EQ(expand({"f/a.csv", "f"}).unreadable, Files{});  // the folder has something
}

TEST_F(RecordInputsTest, OfARotatedSetEachFileIsTakenOnce) {
  write("flows.000001.csv");
  write("flows.000002.csv");
  EXPECT_EQ(files({"flows.000002.csv", "flows.csv"}), (Files{"flows.000002.csv", "flows.000001.csv"}));
}

TEST_F(RecordInputsTest, APipeIsNoFileThatIsReadTwice) {
  ASSERT_EQ(mkfifo((top_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(files({"pipe", "pipe"}), (Files{"pipe", "pipe"}));
}

TEST_F(RecordInputsTest, WhatCannotBeReadIsNamed) {
  write("f/a.csv");
  fs::create_symlink("nowhere", top_ / "f/dangling.csv");
  const RecordInputs found = expand({"f"});
  EXPECT_EQ(found.files.size(), 1u);
  ASSERT_EQ(found.unreadable.size(), 1u);
  EXPECT_TRUE(found.unreadable[0].ends_with("f/dangling.csv: cannot be read: No such file or directory"));
  EXPECT_EQ(told(found, 1), "1 file, 1 unreadable");
}

TEST_F(RecordInputsTest, FoldersBelowIfWanted) {
  write("f/z.csv");
  write("f/day2/a.csv");
  write("f/day10/a.csv");
  fs::create_directory_symlink("..", top_ / "f/day2/loop");
  EXPECT_EQ(files({"f"}), Files{"f/z.csv"});
  EXPECT_EQ(told(expand({"f"}), 0), "1 file, 2 folders below not read (--recursive)");
  EXPECT_EQ(files({"f"}, true), (Files{"f/day2/a.csv", "f/day10/a.csv", "f/z.csv"}));
}

TEST_F(RecordInputsTest, AFolderWithoutFlowRecordsSaysWhatItHas) {
  const auto why = [&](const std::string& name) { return test::thrown_text([&] { expand({name}); }); };
  fs::create_directories(top_ / "empty");
  EXPECT_TRUE(why("empty").ends_with("empty: no Flow Records in this folder"));
  write("notes/readme", "hello");
  EXPECT_TRUE(why("notes").ends_with("notes: no Flow Records in this folder (1 other file)")) << why("notes");
  write("deep/one/two/flows.csv");
  EXPECT_TRUE(why("deep").ends_with("deep/one/two/flows.csv): --recursive reads them")) << why("deep");
  write("captures/a.pcap", std::string("\xd4\xc3\xb2\xa1\2\0\4\0\0\0\0\0\0\0\0\0\xff\xff\0\0\1\0\0\0", 24));
  EXPECT_TRUE(why("captures").ends_with("captures/a.pcap), which warpmeter extract reads")) << why("captures");
  write("good/a.csv");
  EXPECT_EQ(expand({"empty", "good"}).unreadable.size(), 1u);
}

TEST_F(RecordInputsTest, ARotatedSetByTheNameOfItsOutput) {
  for (const char* name : {"flows.000002.csv", "flows.000001.csv", "flows.999999.csv", "flows.1000000.csv",
                           "flows.12.csv", "flows.old.csv", "flows.000003.json", "other.000001.csv"}) {
    write(name);
  }
  EXPECT_EQ(files({"flows.csv"}),
            (Files{"flows.000001.csv", "flows.000002.csv", "flows.999999.csv", "flows.1000000.csv"}));
  EXPECT_EQ(files({"flows.json"}), Files{"flows.000003.json"});
  write("day.20260131T120000.500000000Z.csv");
  write("day.20260131T120000Z.csv");
  EXPECT_EQ(files({"day.csv"}), (Files{"day.20260131T120000Z.csv", "day.20260131T120000.500000000Z.csv"}));
  write("day.000001.csv");
  EXPECT_TRUE(test::thrown_text([&] { expand({"day.csv"}); }).find("by size") != std::string::npos);
  write("day.csv");  // it is there, so it is meant
  EXPECT_EQ(files({"day.csv"}), Files{"day.csv"});
  write("bare.000001");
  EXPECT_EQ(files({"bare"}), Files{"bare.000001"});
  write("packed.000001.csv.gz");
  EXPECT_EQ(files({"packed.csv.gz"}), Files{"packed.000001.csv.gz"});
}

TEST_F(RecordInputsTest, WhatIsNotThereIsNamed) {
  write("a.csv");
  EXPECT_EQ(files({"b.csv", "a.csv"}), Files{"a.csv"});
  const RecordInputs found = expand({"b.csv", "a.csv"});
  ASSERT_EQ(found.unreadable.size(), 1u);
  EXPECT_TRUE(found.unreadable[0].ends_with("b.csv: cannot be read: No such file or directory"));
  const std::string none = test::thrown_text([&] { expand({"b.csv", "c.csv"}); });
  EXPECT_NE(none.find("b.csv: cannot be read: No such file or directory; "), std::string::npos) << none;
  EXPECT_TRUE(none.ends_with("c.csv: cannot be read: No such file or directory")) << none;
}

TEST_F(RecordInputsTest, StandardInputOnce) {
  write("a.csv");
  try {
    expand({"-", "a.csv", "-"});
    FAIL() << "standard input twice";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), ExitStatus::usage);
  }
}

}  // namespace
}  // namespace warpmeter
