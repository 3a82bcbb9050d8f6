// What libwarpmeter gives of `show`: Flow Records, and rows that are none, from files and from Arrow arrays.
#include "warpmeter/selection.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/arrow_stream.h"
#include "support/scratch_folder.h"
#include "support/scratch_pipe.h"
#include "support/thrown_text.h"
#include "warpmeter/columns.h"

namespace warpmeter {
namespace {

// Source ports 0, 1, ...; of each so many packets as its port.
std::vector<Biflow> flows_of(int count) {
  std::vector<Biflow> flows;
  for (int port = 0; port < count; ++port) {
    Biflow flow;
    flow.forward.key.version = 4;
    flow.forward.key.protocol = port % 2 ? kProtocolTcp : kProtocolUdp;
    set_port_number(flow.forward.key.source_port, port);
    flow.forward.packets = static_cast<std::uint64_t>(port);
    flow.forward.start_ns = flow.forward.end_ns = 1'700'000'000'000'000'000 + port;
    flows.push_back(flow);
  }
  return flows;
}

ArrowArrayStream stream_of(int count) { return test::batches_of(flows_of(count), {}, 1000).stream(); }

Selection select(int count, const Options& options, Delivery delivery = Delivery::flows) {
  ArrowArrayStream stream = stream_of(count);
  return Selection(stream, "flows", options, delivery);
}

std::vector<int> ports_of(FlowSource& run) {
  std::vector<int> ports;
  for (std::vector<Biflow> flows; run.next(flows);) {
    for (const Biflow& flow : flows) ports.push_back(port_number(flow.forward.key.source_port));
  }
  return ports;
}

// Of `count` flows, from a file that a Selection from Arrow arrays wrote.
std::string csv_in(const test::ScratchFolder& folder, int count, const std::string& name = "flows.csv") {
  Selection run = select(count, {{"output", folder.file(name)}});
  EXPECT_EQ(ports_of(run).size(), static_cast<std::size_t>(count)) << "outputs beside what is taken";
  return folder.file(name);
}

struct Rows {
  std::vector<std::string> names, formats;
  std::int64_t count = 0;
  std::vector<std::int64_t> second;  // column, if it is of 8 bytes
};

Rows rows_of(FlowSource& run) {
  Rows rows;
  ArrowSchema schema{};
  run.schema(schema);
  for (std::int64_t i = 0; i < schema.n_children; ++i) {
    rows.names.emplace_back(schema.children[i]->name);
    rows.formats.emplace_back(schema.children[i]->format);
  }
  schema.release(&schema);
  for (ArrowArray array{}; run.next(array); array.release(&array)) {
    rows.count += array.length;
    for (std::int64_t i = 0; rows.formats[1] == "l" && i < array.length; ++i) {
      rows.second.push_back(static_cast<const std::int64_t*>(array.children[1]->buffers[1])[i]);
    }
  }
  return rows;
}

TEST(Selection, FiltersAndSorts) {
  const test::ScratchFolder folder;
  const Options options = {{"filter", "tcp and src_port < 9"}, {"top", "3 by src_port:desc"}};
  Selection of_file({csv_in(folder, 100)}, options), of_arrays = select(100, options);
  const std::vector<int> expected = {7, 5, 3};
  EXPECT_EQ(ports_of(of_file), expected);
  EXPECT_EQ(ports_of(of_arrays), expected);
  for (const Selection* run : {&of_file, &of_arrays}) {
    const auto summary = nlohmann::json::parse(run->summary());
    EXPECT_EQ(summary["exit status"], 0);
    EXPECT_EQ(summary["flows read"], 100);
    EXPECT_EQ(summary["flows matching"], 4);
    EXPECT_EQ(summary["rows"], 3);
    EXPECT_EQ(summary["totals"]["packets"], 1 + 3 + 5 + 7);
    EXPECT_TRUE(summary["damage"].empty());
    EXPECT_TRUE(run->warnings().empty());
  }
}

TEST(Selection, GivesAllInBatches) {
  Selection rows = select(20000, {}), columns = select(20000, {}, Delivery::arrow);
  const std::vector<int> ports = ports_of(rows);
  ASSERT_EQ(ports.size(), 20000U);
  EXPECT_EQ(ports[12345], 12345);
  EXPECT_EQ(rows_of(columns).count, 20000);
}

TEST(Selection, SumsAreRows) {
  Selection run = select(100, {{"sum", "protocol"}, {"sort", "protocol"}}, Delivery::arrow);
  const Rows rows = rows_of(run);
  EXPECT_EQ(rows.count, 2);
  ASSERT_GT(rows.names.size(), 3U);
  EXPECT_EQ(rows.names[0], "protocol");
  EXPECT_EQ(rows.formats[0], "C");
  EXPECT_EQ(rows.names[1], "flows");
  EXPECT_EQ(rows.formats[1], "l");
  EXPECT_EQ(rows.names.back(), "end_ns");
  EXPECT_EQ(rows.formats.back(), "tsn:UTC");
  EXPECT_EQ(rows.second, (std::vector<std::int64_t>{50, 50}));
  EXPECT_EQ(nlohmann::json::parse(run.summary())["sums"], 2);
}

TEST(Selection, ColumnsAreRows) {
  const Options options = {{"columns", "source,duration,retransmission_share,src_port,start_ns"},
                           {"times", "us"},
                           {"filter", "src_port = 5"}};
  Selection run = select(100, options, Delivery::arrow);
  const Rows rows = rows_of(run);
  const std::vector<std::string> names = {"source", "duration_us", "retransmission_share", "src_port", "start_us"},
                                 formats = {"u", "l", "g", "S", "tsu:UTC"};
  EXPECT_EQ(rows.names, names);
  EXPECT_EQ(rows.formats, formats);
  EXPECT_EQ(rows.count, 1);
}

TEST(Selection, KnowsItsColumnsWithoutAnyRow) {
  for (const Options& options : {Options{{"filter", "packets > 1M"}}, Options{{"sum", "addr"}, {"filter", "icmp"}}}) {
    Selection run = select(10, options, Delivery::arrow);
    const Rows rows = rows_of(run);
    EXPECT_EQ(rows.count, 0);
    EXPECT_GT(rows.names.size(), 10U);
  }
}

TEST(Selection, RefusesWrongOptionsAtOnce) {
  const auto start = [](const Options& options) { Selection run({"x.csv"}, options); };
  EXPECT_EQ(test::thrown_text([&] {
              start({{"sum", "src_addr"}});
            }),
            "--sum and --columns make rows that are no Flow Records: Delivery::arrow gives them");
  const std::string other = test::thrown_text([&] { start({{"biflow", ""}}); });
  EXPECT_EQ(other.substr(0, 27), "show has no option --biflow");
  EXPECT_EQ(test::thrown_text([&] { start({{"aggregate", "1"}}); }), "--aggregate '1': takes no value");
  EXPECT_NE(test::thrown_text([&] { start({{"filter", "pakets > 1"}}); }), "");
  EXPECT_EQ(test::thrown_text([] { Selection run(std::vector<std::string>{}, {}); }), "there are no inputs");
}

TEST(Selection, SaysWhatCannotBeRead) {
  std::vector<Biflow> flows;
  Selection missing({"/nowhere/a\nb.csv"}, {});
  const auto next = [&] { missing.next(flows); };
  EXPECT_EQ(test::thrown_text(next), "/nowhere/a\\nb.csv: cannot be read: No such file or directory");
  EXPECT_THROW(next(), CaptureError);
  EXPECT_EQ(nlohmann::json::parse(missing.summary())["exit status"], 1);
  ArrowSchema schema{};
  Selection unknown({"/nowhere/x.csv"}, {});
  EXPECT_THROW(unknown.schema(schema), CaptureError);

  const test::ScratchFolder folder;
  const std::string good = csv_in(folder, 5), damaged = csv_in(folder, 5, "damaged.csv");
  std::filesystem::resize_file(damaged, std::filesystem::file_size(damaged) - 3);
  Selection some({good, damaged, folder.file("none.csv")}, {});
  EXPECT_EQ(ports_of(some).size(), 9U);
  EXPECT_EQ(some.warnings().size(), 2U);
  EXPECT_EQ(nlohmann::json::parse(some.summary())["exit status"], 3);
}

TEST(Selection, SaysWhatWasNamedAgain) {
  const test::ScratchFolder folder;
  const std::string file = csv_in(folder, 5);
  Selection run({file, file, file}, {});
  EXPECT_EQ(ports_of(run).size(), 5U);
  EXPECT_EQ(run.warnings(), std::vector<std::string>{"2 files were named again, and read once"});
}

TEST(Selection, TotalsStayAtTheLargest) {
  std::vector<Biflow> flows = flows_of(3);
  for (Biflow& flow : flows) flow.forward.bytes = INT64_MAX;
  ArrowArrayStream stream = test::batches_of(flows, {}).stream();
  Selection run(stream, "flows", {});
  ports_of(run);
  EXPECT_EQ(nlohmann::json::parse(run.summary())["totals"]["bytes"], INT64_MAX);
}

TEST(Selection, TakesWhatAnotherGives) {
  ArrowArrayStream stream = stream_of(100);
  const auto first = std::make_shared<Selection>(stream, "flows", Options{{"filter", "tcp"}}, Delivery::arrow);
  export_stream(first, stream);
  Selection second(stream, "tcp", {{"filter", "src_port < 4"}});
  EXPECT_EQ(ports_of(second), (std::vector<int>{1, 3}));
  EXPECT_EQ(nlohmann::json::parse(second.summary())["flows read"], 50);

  const auto missing =
      std::make_shared<Selection>(std::vector<std::string>{"/nowhere/x.csv"}, Options{}, Delivery::arrow);
  export_stream(missing, stream);
  Selection of_it(stream, "missing", {});
  EXPECT_EQ(test::thrown_text([&] { ports_of(of_it); }),
            "missing: /nowhere/x.csv: cannot be read: No such file or directory");
}

TEST(Selection, OfNothingIsRefused) {
  ArrowArrayStream stream{};
  EXPECT_EQ(test::thrown_text([&] { export_stream(nullptr, stream); }), "there is no source of Flow Records to export");
  EXPECT_EQ(stream.release, nullptr);
  Selection empty({""}, {});
  EXPECT_EQ(test::thrown_text([&] { ports_of(empty); }), "the name of an input is empty");
}

// Before anything is known of its first file, there is nothing to give (job.h).
TEST(Selection, InterruptedBeforeAnyDataSaysSo) {
  const test::NamedPipe silent;
  const int both_ends = open(silent.path().c_str(), O_RDWR | O_CLOEXEC);
  Selection run({silent.path()}, {});
  run.interrupt();
  try {
    ports_of(run);
    ADD_FAILURE() << "it has an end";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), ExitStatus::interrupted);
  }
  close(both_ends);
}

TEST(Selection, CanBeGivenUpAtAnyTime) {
  const test::ScratchFolder folder;
  bool released = false;
  for (const Options& options : {Options{}, Options{{"sort", "bytes"}}, Options{{"columns", "packets"}}}) {
    Options with_output = options;
    with_output.push_back({"output", folder.file("flows.csv")});
    released = false;
    ArrowArrayStream stream = test::batches_of(flows_of(30000), {}, 1000).stream(&released);
    { Selection run(stream, "flows", with_output, Delivery::arrow); }
    EXPECT_TRUE(released);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "nothing is left behind";
  }
}

}  // namespace
}  // namespace warpmeter
