// Keys that begin alike, and flows of one key, are sorted without a look at whole records.
#include "flow/runs/prefix_sort.h"

#include <gtest/gtest.h>

#include "core/byte_order.h"
#include "flow/runs/sorted_runs.h"
#include "support/record_maker.h"

namespace warpmeter {
namespace {

const RecordOrder kOrders[] = {arrival_order, output_order, biflow_arrival_order, biflow_output_order};

// Both directions of `clients` clients of a server whose address is less than theirs.
std::vector<Partial> of_one_server(std::size_t count, std::uint32_t clients, std::uint8_t version) {
  std::mt19937_64 random(clients);
  std::vector<Partial> records = test::random_records(count, clients);
  for (Partial& record : records) {
    FlowKey& key = record.key = FlowKey();
    key.version = version;
    key.protocol = kProtocolTcp;
    key.destination[0] = 10;
    key.source[0] = 11;
    const auto client = static_cast<std::uint32_t>(random() % clients);
    store_be32(version == 6 ? key.source + 12 : key.source, 11u << 24 | client);
    if (random() % 2) key = reversed(key);
    record.first_ns = record.start_ns;
  }
  return records;
}

struct Numbered {
  KeyPrefix prefix;
  FlowKey key;
};

// How many whole comparisons a sort by undirected keys needs.
std::size_t comparisons(const std::vector<Partial>& records) {
  std::vector<Numbered> places;
  for (const Partial& record : records) {
    const FlowKey key = undirected(record.key);
    places.push_back({prefix_of(key), key});
  }
  std::size_t count = 0;
  const auto next = [](Numbered& place, int depth) {
    if (depth >= prefixes_in(place.key)) return false;
    place.prefix = further_prefix(place.key, depth);
    return true;
  };
  sort_by_prefix(places, next, [&count](const Numbered& a, const Numbered& b) {
    ++count;
    return compare(a.key, b.key) < 0;
  });
  const auto before = [](const Numbered& a, const Numbered& b) { return compare(a.key, b.key) < 0; };
  EXPECT_TRUE(std::is_sorted(places.begin(), places.end(), before));
  return count;
}

TEST(PrefixSort, TellsTheClientsOfAnIpv6ServerApart) {
  std::vector<Partial> records = of_one_server(1000, 1, 6);
  for (std::uint32_t i = 0; i < records.size(); ++i) {
    FlowKey& key = records[i].key;
    if (key.source[0] == 10) key = reversed(key);
    store_be32(key.source + 12, i);
  }
  const KeyPrefix first = prefix_of(undirected(records.front().key));
  for (const Partial& record : records) ASSERT_TRUE(prefix_of(undirected(record.key)) == first);
  // Only of those that differ in the last bit alone, two each.
  EXPECT_LE(comparisons(records), records.size());
}

TEST(PrefixSort, WithinAKeyIsTheOrder) {
  for (const RecordOrder order : kOrders) {
    const auto records = of_one_server(200, 1, 4);
    for (std::size_t i = 1; i < records.size(); ++i) {
      const Partial &a = records[i - 1], &b = records[i];
      // Of one direction, where the order is one of directed keys.
      if (!(group_key(order, a.key) == group_key(order, b.key))) continue;
      KeyPrefix first, second;
      ASSERT_TRUE(prefix_within_key(order, a, first) && prefix_within_key(order, b, second));
      if (first == second) continue;
      ASSERT_EQ(first < second, order(a, b) < 0);
    }
  }
  KeyPrefix prefix;
  const Partial record;
  EXPECT_FALSE(prefix_within_key([](const FlowRecord&, const FlowRecord&) { return 0; }, record, prefix));
}

TEST(PrefixSort, OfRecordsAlikeIsTheirOrder) {
  for (const RecordOrder order : kOrders) {
    for (const std::uint32_t clients : {1, 3, 200, 2000}) {
      for (const int version : {4, 6}) {
        const auto records = of_one_server(2000, clients, static_cast<std::uint8_t>(version));
        const auto run = std::make_shared<const SortedRun>(std::vector<PartialChunk>{records}, order);
        SortedRunCursor cursor(run, 0, run->size());
        ASSERT_TRUE(test::same_records(test::sorted(records, order), test::all_of(cursor))) << clients;
      }
    }
  }
}

}  // namespace
}  // namespace warpmeter
