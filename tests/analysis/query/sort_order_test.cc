// Sorting against std::sort, with and without a limit.
#include "analysis/query/sort_order.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/random_flows.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

std::vector<Biflow> random_flows(int count) {
  test::RandomFlows random(3, {.biflow = true});
  std::vector<Biflow> flows;
  for (int i = 0; i < count; ++i) {
    flows.push_back(random.next());
    flows.back().forward.arrival = static_cast<std::uint64_t>(i) + 1;
    flows.back().reverse.arrival = flows.back().forward.arrival;
    if (i % 3) flows.back().forward.packets = static_cast<std::uint64_t>(i % 5);  // many are equal
  }
  return flows;
}

std::vector<Biflow> sorted(const std::vector<Biflow>& flows, std::optional<SortOrder> order, std::size_t most = 0) {
  FlowSorter sorter(order, most);
  for (const Biflow& flow : flows) sorter.add(flow);
  std::vector<Biflow> result;
  sorter.for_each_sorted([&](const Biflow& flow, const Annotations&) { result.push_back(flow); });
  return result;
}

void expect_same(const std::vector<Biflow>& got, const std::vector<Biflow>& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].forward.arrival, wanted[i].forward.arrival) << i;
    ASSERT_EQ(got[i].has_reverse, wanted[i].has_reverse);
    if (got[i].has_reverse) {
      ASSERT_EQ(got[i].reverse.arrival, wanted[i].reverse.arrival);
    }
  }
}

// By the text of the definition: values first, then what has none; then output order.
void expect_sorted_by(const char* column, bool descending) {
  std::vector<Biflow> flows = random_flows(500);
  const Field field = *Field::of(column);
  const auto value = [&](const Biflow& flow) { return whole_value(field, flow.forward); };
  const SortOrder order(std::string(column) + (descending ? ":desc" : ":asc"));
  const std::vector<Biflow> all = sorted(flows, order);
  const std::vector<Biflow> first = sorted(flows, order, 20);
  const std::vector<Biflow> more_than_there_are = sorted(flows, order, 5000);
  std::stable_sort(flows.begin(), flows.end(), [&](const Biflow& a, const Biflow& b) {
    if (value(a) != value(b)) {
      if (!value(a) || !value(b)) return value(a).has_value();
      return descending ? *value(a) > *value(b) : *value(a) < *value(b);
    }
    return output_order(a.forward, b.forward) < 0;
  });
  expect_same(all, flows);
  expect_same(more_than_there_are, flows);
  flows.resize(20);
  expect_same(first, flows);
}

TEST(FlowSorter, SortsCounts) {
  expect_sorted_by("packets", true);
  expect_sorted_by("packets", false);
}

TEST(FlowSorter, WhatHasNoValueComesLast) {
  expect_sorted_by("missing_bytes", true);
  expect_sorted_by("missing_bytes", false);
}

TEST(FlowSorter, SortsTimesBefore1970) {
  expect_sorted_by("start_ns", true);
  expect_sorted_by("start_ns", false);
}

TEST(FlowSorter, WithoutOrderItIsThatOfTheOutput) {
  std::vector<Biflow> flows = random_flows(200);
  const std::vector<Biflow> got = sorted(flows, std::nullopt);
  std::sort(flows.begin(), flows.end(),
            [](const Biflow& a, const Biflow& b) { return output_order(a.forward, b.forward) < 0; });
  expect_same(got, flows);
}

// Numbers of first packets may come from several traces, or from none.
TEST(FlowSorter, WhatIsAlikeStaysInTheOrderOfItsFiles) {
  std::vector<Biflow> flows(5);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    flows[i].forward.arrival = 9 - i;
    flows[i].forward.end_ns = i == 4;
  }
  const std::vector<Biflow> all = sorted(flows, std::nullopt), first = sorted(flows, SortOrder("packets"), 3);
  expect_same(all, flows);
  flows.resize(3);
  expect_same(first, flows);
}

TEST(FlowSorter, AddressesAreInTheirOrder) {
  const std::vector<Biflow> got = sorted(random_flows(300), SortOrder("src_addr"));
  const std::vector<Biflow> down = sorted(random_flows(300), SortOrder("src_addr:desc"));
  const auto before = [](const Biflow& a, const Biflow& b) {
    const FlowKey &x = a.forward.key, &y = b.forward.key;
    if (x.version != y.version) return x.version < y.version;
    return std::memcmp(x.source, y.source, sizeof x.source) < 0;
  };
  EXPECT_TRUE(std::is_sorted(got.begin(), got.end(), before));
  EXPECT_TRUE(std::is_sorted(down.rbegin(), down.rend(), before));
}

TEST(FlowSorter, SharesAreInTheirOrder) {
  const std::vector<Biflow> got = sorted(random_flows(300), SortOrder("retransmission_share"));
  EXPECT_TRUE(retransmission_share(got.front().forward));
  EXPECT_TRUE(std::is_sorted(got.begin(), got.end(), [](const Biflow& a, const Biflow& b) {
    return retransmission_share(a.forward).value_or(-1) > retransmission_share(b.forward).value_or(-1);
  }));
}

TEST(SortOrder, CountsDescendAndTheRestAscends) {
  EXPECT_TRUE(SortWord("bytes").descending);
  EXPECT_TRUE(SortWord("duration").descending);
  EXPECT_TRUE(SortWord("flows").descending);
  EXPECT_FALSE(SortWord("src_addr").descending);
  EXPECT_FALSE(SortWord("start_ns").descending);
  EXPECT_FALSE(SortWord("bytes:asc").descending);
  EXPECT_EQ(SortWord("bytes:asc").name, "bytes");
}

TEST(SortOrder, RefusesWhatIsNoColumn) {
  const auto refusal = [](const char* text) { return test::thrown_text([&] { SortOrder{text}; }); };
  EXPECT_EQ(refusal("byte"),
            "--sort: 'byte' is no column (near: bytes, payload_bytes, missing_bytes, duplicate_bytes)");
  EXPECT_EQ(refusal("bytes:up"), "--sort: 'bytes:up': the direction is asc or desc");
  EXPECT_EQ(refusal("addr"), "--sort: not by addr, but by its parts");
  EXPECT_EQ(refusal(""), "--sort: '' is no column (see show --help)");
}

}  // namespace
}  // namespace warpmeter
