// Little memory for many flows: flows are evicted and put together again, no Flow Record is split.
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "property/in_process.h"
#include "property/many_flows.h"
#include "reference/random_traffic.h"
#include "reference/reference.h"

namespace warpmeter {
namespace {

using test::InProcess;
using test::Setting;

constexpr std::uint64_t kLittle = 800 << 10;  // some three thousand live flows
constexpr std::uint64_t kSeeds = test::if_long(6, 4);

using Row = std::map<std::string, std::string>;

std::vector<Row> rows_of(const std::string& csv) {
  std::istringstream lines(csv);
  std::string line, name, value;
  std::getline(lines, line);
  std::vector<std::string> names;
  for (std::istringstream header(line); std::getline(header, name, ',');) names.push_back(name);
  std::vector<Row> rows;
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    Row row;
    for (const std::string& column : names) {
      value.clear();
      std::getline(fields, value, ',');
      row[column] = value;
    }
    rows.push_back(row);
  }
  return rows;
}

// Eviction loses the sequence state and nothing else. These need none: they are sums over packets, each looked at by
// itself, or depend on the duplicate filter, which is never evicted.
constexpr const char* kKept[] = {
    "src_addr",        "dst_addr",  "src_port",  "dst_port",      "protocol",          "start_ns",
    "end_ns",          "packets",   "bytes",     "payload_bytes", "data_segments",     "duplicate_packets",
    "duplicate_bytes", "syn_count", "fin_count", "rst_count",     "zero_window_count", "tcp_flags"};

void check_row(const Row& whole, const Row& evicted) {
  for (const char* column : kKept) ASSERT_EQ(whole.at(column), evicted.at(column)) << column;
  // A flow evicted and not seen again says so; every other reason is as it was.
  if (evicted.at("end_reason") != "5") {
    ASSERT_EQ(whole.at("end_reason"), evicted.at("end_reason"));
  }
  if (whole.at("protocol") != "6") return;
  // Bytes seen before the cut are forgotten: fewer look seen before, never more.
  for (const char* column : {"retransmitted_segments", "retransmitted_bytes"}) {
    ASSERT_LE(std::stoull(evicted.at(column)), std::stoull(whole.at(column))) << column;
  }
  // SYN and FIN may fall on different sides of the cut: then the value is lost. Whether two FINs carried one number is
  // sequence state again, so only flows with one FIN are looked at.
  if (whole.at("fin_count") == "1" && !evicted.at("connection_bytes").empty()) {
    ASSERT_EQ(whole.at("connection_bytes"), evicted.at("connection_bytes"));
  }
}

reference::Options without_active_timeout(std::int64_t idle_ns) {
  reference::Options options;
  options.active_timeout = 0;
  options.idle_timeout = idle_ns;
  return options;
}

class Eviction : public testing::TestWithParam<std::int64_t> {};

TEST_P(Eviction, SplitsNoFlowRecord) {
  const reference::Options options = without_active_timeout(GetParam());
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const auto bytes = test::ManyFlows(seed, 5000).capture(30'000);
    InProcess program;
    const auto whole = program.run({bytes}, options, {});
    const auto evicted = program.run({bytes}, options, {.memory = kLittle});
    ASSERT_EQ(whole.stats["evicted flows"], 0);
    ASSERT_GT(evicted.stats["evicted flows"], 1000);
    ASSERT_GT(evicted.stats["evicted flows joined"], 100);
    ASSERT_TRUE(test::same_csv(reference::flow_csv(bytes, options), whole.csv));
    const auto expected = rows_of(whole.csv), got = rows_of(evicted.csv);
    ASSERT_EQ(expected.size(), got.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      check_row(expected[i], got[i]);
      if (HasFatalFailure()) FAIL() << "seed " << seed << ", row " << i;
    }
  }
}

TEST_P(Eviction, IsTheSameForAnyThreadsAndBatches) {
  const reference::Options options = without_active_timeout(GetParam());
  const auto bytes = test::ManyFlows(77, 5000).capture(20'000);
  InProcess program;
  const auto expected = program.run({bytes}, options, {.memory = kLittle});
  for (unsigned threads : {1, 2, 7}) {
    for (std::uint32_t batch : {7, 64, 8192}) {
      const Setting setting{.threads = threads, .batch = batch, .run_memory = batch == 64, .memory = kLittle};
      const auto got = program.run({bytes}, options, setting);
      ASSERT_TRUE(test::same_csv(expected.csv, got.csv)) << setting;
      ASSERT_EQ(expected.stats["evicted flows"], got.stats["evicted flows"]) << setting;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(IdleTimeouts, Eviction, testing::Values(0, 500'000'000, 300'000'000'000));

TEST(EvictionOfAnything, IsTheSameForAnyThreadsAndBatches) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const reference::TrafficShape shape{
        .seed = seed, .packets = 20'000, .keys = 20'000, .time_runs_back = seed % 2 == 1};
    const auto bytes = reference::random_traffic(shape);
    const reference::Options options{.idle_timeout = 0};
    InProcess program;
    const auto expected = program.run({bytes}, options, {.memory = kLittle});
    ASSERT_GT(expected.stats["evicted flows"], 100);
    for (const Setting& setting : {Setting{.threads = 2, .batch = 7, .memory = kLittle},
                                   Setting{.threads = 7, .batch = 64, .run_memory = 1, .memory = kLittle}}) {
      ASSERT_TRUE(test::same_csv(expected.csv, program.run({bytes}, options, setting).csv))
          << "seed " << seed << ", " << setting;
    }
  }
}

}  // namespace
}  // namespace warpmeter
