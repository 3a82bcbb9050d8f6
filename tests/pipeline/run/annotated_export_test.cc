// What was noted of packets comes out with the Flow Records of their flows, in every kind of output, whatever the
// memory and the number of threads.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <sstream>

#include "core/biflow_key.h"
#include "flow/runs/live_annotations.h"
#include "pipeline/metering/metering_work.h"
#include "pipeline/run/metering_run.h"
#include "record/write/record_output.h"
#include "support/extra_columns.h"
#include "support/record_maker.h"
#include "support/scratch_folder.h"

namespace warpmeter {
namespace {

constexpr std::uint64_t kAnnotatedFlows = 3000;

// A flow each packet, of which some have tags; of each, what the line says at its end.
struct Traffic {
  std::vector<Partial> partials;
  std::vector<std::pair<FlowKey, Annotation>> noted;
};

Traffic random_traffic() {
  std::mt19937_64 random(5);
  Traffic traffic;
  for (std::uint64_t number = 1; number <= kAnnotatedFlows; ++number) {
    const auto start = static_cast<std::int64_t>(number) * 1'000'000;
    const auto flow = static_cast<std::uint32_t>(random() % 400);
    Partial& partial = traffic.partials.emplace_back(test::test_record(flow / 2, start, start, number));
    if (flow % 2) partial.key = reversed(partial.key);
    partial.packets = number;
    partial.end_reason = EndReason::idle;
    for (std::uint64_t i = number % 4; i-- > 0;) {
      traffic.noted.push_back(
          {partial.key, {number, test::kTags, "tag" + std::to_string(number) + "." + std::to_string(i)}});
    }
    if (number % 3 == 0)
      traffic.noted.push_back({partial.key, {number, test::kTitle, std::string(number % 300 + 1, 'x')}});
  }
  return traffic;
}

// What a line says of the flow of packet `number`.
std::string end_of_line(std::uint64_t number) {
  std::string end = ",";
  for (std::uint64_t i = number % 4; i-- > 0;) {
    end += "tag" + std::to_string(number) + "." + std::to_string(i) + (i ? ";" : "");
  }
  return end + "," + (number % 3 == 0 ? std::string(number % 300 + 1, 'x') : "");
}

struct ExportShape {
  unsigned threads;
  std::uint64_t memory;  // of partials
  std::int64_t rotate_ns;
};

class AnnotatedExport : public testing::TestWithParam<ExportShape> {
 protected:
  AnnotatedExport() {
    std::filesystem::create_directory(folder_.file("out"));
    options_.threads = GetParam().threads;
    options_.tmpdir = folder_.path();
    options_.memory = 32 << 20;
    options_.run_memory = GetParam().memory;
    options_.meter.timeouts = {};
    options_.output.file = folder_.file("out/flows.csv");
    options_.output.rotate_ns = GetParam().rotate_ns;
    options_.output.tmpdir = folder_.path();
    options_.output.waiting_memory = GetParam().memory;
    options_.output.extra_columns = test::annotation_columns();
  }

  // The lines of all files in the order of their names, without headers.
  std::vector<std::string> lines() const {
    const Traffic traffic = random_traffic();
    RunStore runs(run_store_options(options_));
    AnnotationLog log(runs);
    for (const auto& [key, annotation] : traffic.noted) log.add(key, annotation);
    log.flush();
    for (const Partial& partial : traffic.partials) runs.add({partial});
    RecordOutput output(options_.output, {.biflow = options_.biflow, .extra = options_.output.extra_columns});
    export_in_order(runs, options_, output);
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.file("out"))) files.push_back(entry.path());
    std::ranges::sort(files);
    std::vector<std::string> lines;
    for (const auto& file : files) {
      std::istringstream text(test::file_text(file.string()));
      std::string line;
      std::getline(text, line);
      EXPECT_TRUE(line.ends_with(",tags,title")) << line;
      while (std::getline(text, line)) lines.push_back(line);
    }
    return lines;
  }

  const test::ScratchFolder folder_;
  ExtractOptions options_;
};

// The eighth column.
std::uint64_t packets_of(const std::string& line) {
  std::size_t at = 0;
  for (int i = 0; i < 7; ++i) at = line.find(',', at) + 1;
  return std::stoull(line.substr(at));
}

TEST_P(AnnotatedExport, GivesEachFlowWhatWasNotedOfIt) {
  std::uint64_t rows = 0;
  for (const std::string& line : lines()) {
    ++rows;
    EXPECT_TRUE(line.ends_with(end_of_line(packets_of(line)))) << line;
  }
  EXPECT_EQ(rows, kAnnotatedFlows);
}

INSTANTIATE_TEST_SUITE_P(Shapes, AnnotatedExport,
                         testing::Values(ExportShape{1, 16 << 20, 0}, ExportShape{3, 200'000, 0},
                                         ExportShape{1, 16 << 20, 500'000'000}, ExportShape{2, 200'000, 500'000'000}));

}  // namespace
}  // namespace warpmeter
