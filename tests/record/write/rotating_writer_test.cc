// --rotate SIZE: files end with the record that reaches the size, whatever sections the records came in.
#include "record/write/record_output.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "record/write/output_format.h"
#include "support/random_flows.h"
#include "support/scratch_folder.h"
#include "support/writers.h"

namespace warpmeter {
namespace {

using Files = std::map<std::string, std::string>;  // texts by their names

struct Rotation {
  Format format;
  std::uint64_t bytes;
};

class Rotating : public testing::TestWithParam<Rotation> {
 protected:
  Rotating() : flows_(GetParam().bytes < 1000 ? 100 : 3000) {  // of the first, each has its own file
    test::RandomFlows random(1, {.biflow = true});
    for (Biflow& flow : flows_) flow = random.next();
  }

  OutputOptions options_in(const test::ScratchFolder& folder) const {
    OutputOptions options;
    options.file = folder.file("flows");
    options.format = GetParam().format;
    options.rotate_bytes = GetParam().bytes;
    return options;
  }

  static Files files_in(const test::ScratchFolder& folder) {
    Files files;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
      files[entry.path().filename().string()] = test::file_text(entry.path().string());
    }
    return files;
  }

  // By the rule, record by record.
  Files expected() const {
    const test::ScratchFolder folder;
    const OutputOptions options = options_in(folder);
    int number = 0;
    std::unique_ptr<FileWriter> file;
    const auto open = [&] {
      char name[16];
      std::snprintf(name, sizeof name, "flows.%06d", ++number);
      file = std::make_unique<FileWriter>(folder.file(name), options, layout_);
      file->begin();
    };
    open();
    for (const Biflow& flow : flows_) {
      if (file->bytes() >= options.rotate_bytes) {
        file->end();
        open();
      }
      RecordStream one(*file);
      test::write_flow(one, flow);
      one.flush();
    }
    file->end();
    return files_in(folder);
  }

  // Sections of `size` records, of which two are filled before the first is appended.
  Files written(std::size_t size) const {
    const test::ScratchFolder folder;
    RotatingWriter writer(options_in(folder), layout_);
    writer.begin();
    const std::unique_ptr<RecordSection> sections[] = {writer.format().new_section(), writer.format().new_section()};
    for (std::size_t next = 0; next < flows_.size();) {
      for (const auto& section : sections) {
        for (std::size_t i = 0; i < size && next < flows_.size(); ++i, ++next) {
          section->write(flows_[next].forward, flows_[next].has_reverse ? &flows_[next].reverse : nullptr);
        }
      }
      for (const auto& section : sections) {
        writer.append(*section);
        EXPECT_EQ(section->bytes(), 0u);
      }
    }
    writer.end();
    return files_in(folder);
  }

  const RecordLayout layout_{.biflow = true};
  std::vector<Biflow> flows_;
};

TEST_P(Rotating, FilesEndWithTheRecordThatReachesTheSize) {
  if (!can_write(GetParam().format)) {
    GTEST_SKIP() << "a build that can runs this: " << why_not_written(GetParam().format);
  }
  const Files wanted = expected();
  EXPECT_GT(wanted.size(), 3u);
  for (const std::size_t size : {1u, 37u, 3000u}) EXPECT_TRUE(written(size) == wanted) << size;
}

TEST(RotatingWriter, GoesOnBehindFilesOfAnEarlierRun) {
  const test::ScratchFolder folder;
  const auto put = [&](const char* name) { std::ofstream(folder.file(name)) << name; };
  OutputOptions options;
  options.file = folder.file("flows.csv");
  options.rotate_bytes = 1000;
  options.beside_earlier = true;
  for (const char* name : {"flows.000001.csv", "flows.1000000.csv", "flows.99999999999999999999.csv", "flows.7.csv"})
    put(name);
  RotatingWriter writer(options, {});
  put("flows.1000003.csv");  // since it was made
  writer.begin();
  writer.end();
  EXPECT_TRUE(std::filesystem::exists(folder.file("flows.1000004.csv")));
  for (const char* name : {"flows.000001.csv", "flows.1000000.csv", "flows.1000003.csv"}) {
    EXPECT_EQ(test::file_text(folder.file(name)), name);
  }
  EXPECT_EQ(writer.left_over(), "");
}

INSTANTIATE_TEST_SUITE_P(All, Rotating,
                         testing::Values(Rotation{Format::csv, 1}, Rotation{Format::csv, 700},
                                         Rotation{Format::csv, 20'000}, Rotation{Format::csv, 200'000},
                                         Rotation{Format::json, 1}, Rotation{Format::json, 30'000},
                                         Rotation{Format::table, 20'000}, Rotation{Format::ipfix, 1},
                                         Rotation{Format::ipfix, 100'000}));

}  // namespace
}  // namespace warpmeter
