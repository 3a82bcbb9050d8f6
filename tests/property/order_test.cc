// One trace as several files under any names: cut into pieces, or its packets dealt out, some of the files packed. In
// the order of time they give the output of the whole; with times that are alike or run back, that of the documented
// order, which is made here in the plainest way.
#include <gtest/gtest.h>

#include <algorithm>

#include "property/engine_under_test.h"
#include "reference/random_traffic.h"
#include "reference/reference.h"
#include "reference/reference_random.h"
#include "support/packed.h"

namespace warpmeter {
namespace {

using test::Bytes;
using test::InProcess;
using test::Setting;

constexpr std::size_t kPcapHeader = 24, kPacketHeader = 16;

struct Record {
  std::int64_t time_ns;
  Bytes bytes;
};
using Records = std::vector<Record>;

Records records_of(const Bytes& pcap, const reference::TrafficShape& shape) {
  const auto number = [&](std::size_t at) {
    std::uint32_t n = 0;
    for (std::size_t i = 0; i < 4; ++i) n = n << 8 | pcap[at + (shape.big_endian ? i : 3 - i)];
    return n;
  };
  Records records;
  for (std::size_t at = kPcapHeader; at + kPacketHeader <= pcap.size();) {
    const std::int64_t time =
        number(at) * std::int64_t{1'000'000'000} + number(at + 4) * (shape.nanoseconds ? 1 : 1000);
    const std::size_t size = kPacketHeader + number(at + 8);
    const auto begin = pcap.begin() + static_cast<std::ptrdiff_t>(at);
    records.push_back({time, Bytes(begin, begin + static_cast<std::ptrdiff_t>(size))});
    at += size;
  }
  return records;
}

Bytes pcap_of(const Bytes& header, const Records& records) {
  Bytes pcap(header.begin(), header.begin() + kPcapHeader);
  for (const Record& record : records) pcap.insert(pcap.end(), record.bytes.begin(), record.bytes.end());
  return pcap;
}

// What of the trace goes where: neighbours together, or each packet anywhere.
std::vector<Records> split(const Records& whole, std::size_t files, bool cut, reference::Random& random) {
  std::vector<Records> parts(files);
  std::vector<std::uint64_t> cuts;
  for (std::size_t i = 1; i < files; ++i) cuts.push_back(random.below(whole.size() + 1));
  std::sort(cuts.begin(), cuts.end());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const auto before = static_cast<std::size_t>(std::upper_bound(cuts.begin(), cuts.end(), i) - cuts.begin());
    parts[cut ? before : random.below(files)].push_back(whole[i]);
  }
  return parts;
}

// SPEC: the earliest next packet of all files, of those that are alike that of the file that comes first, which is the
// one whose first packet is earlier, then whose name comes first.
Records merged(std::vector<std::pair<std::string, Records>> files) {
  std::erase_if(files, [](const auto& file) { return file.second.empty(); });
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) {
    return std::pair(a.second[0].time_ns, a.first) < std::pair(b.second[0].time_ns, b.first);
  });
  std::vector<std::size_t> next(files.size());
  Records all;
  for (;;) {
    std::size_t earliest = files.size();
    for (std::size_t i = files.size(); i-- > 0;) {
      if (next[i] == files[i].second.size()) continue;
      if (earliest == files.size() ||
          files[i].second[next[i]].time_ns <= files[earliest].second[next[earliest]].time_ns)
        earliest = i;
    }
    if (earliest == files.size()) return all;
    all.push_back(files[earliest].second[next[earliest]++]);
  }
}

class OrderTest : public testing::Test {
 protected:
  // Writes the parts under random names, runs the program on them, and gives the names to `files` as well.
  std::string csv_of(const std::vector<Records>& parts, const Bytes& header, const reference::Options& options,
                     reference::Random& random, std::vector<std::pair<std::string, Records>>& files) {
    InProcess program;
    const std::vector<test::Packer> packers = test::packers();
    std::vector<std::string> inputs;
    std::uint64_t all_bytes = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::string name = std::to_string(random.below(1'000'000)) + "." + std::to_string(i);
      Bytes bytes = pcap_of(header, parts[i]);
      if (!packers.empty() && random.percent(20)) bytes = packers[random.below(packers.size())].pack(bytes);
      inputs.push_back(program.folder().write(name, bytes));
      all_bytes += bytes.size();
      files.emplace_back(inputs.back(), parts[i]);
    }
    Setting setting{.threads = static_cast<unsigned>(1 + random.below(3)),
                    .batch = static_cast<std::uint32_t>(1 + random.below(random.percent(50) ? 20 : 500)),
                    .order = FileOrder::time};
    if (random.percent(15)) setting = test::on_engine_under_test(setting, {.piece = setting.batch});
    const test::Extracted got = program.run_files(inputs, options, setting);
    EXPECT_EQ(got.status, ExitStatus::ok);
    EXPECT_EQ(got.stats["bytes read"], all_bytes);
    return got.csv;
  }
};

TEST_F(OrderTest, FilesOfOneTraceGiveTheOutputOfTheWhole) {
  for (std::uint64_t seed = 70'001; seed <= 70'000 + test::property_cases(300); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    reference::Random random(seed);
    reference::RandomCase chosen = reference::random_case(seed);
    chosen.shape.cut_file = false;
    const Bytes pcap = reference::random_traffic(chosen.shape);
    Records whole = records_of(pcap, chosen.shape);
    const bool ascending = random.percent(50);
    if (ascending) {
      std::stable_sort(whole.begin(), whole.end(), [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; });
      const auto same = [](const Record& a, const Record& b) { return a.time_ns == b.time_ns; };
      whole.erase(std::unique(whole.begin(), whole.end(), same), whole.end());
    }
    std::vector<std::pair<std::string, Records>> files;
    const std::vector<Records> parts = split(whole, 1 + random.below(16), random.percent(50), random);
    const std::string got = csv_of(parts, pcap, chosen.options, random, files);
    const Records expected = ascending ? whole : merged(files);
    ASSERT_TRUE(test::same_csv(reference::flow_csv(pcap_of(pcap, expected), chosen.options), got))
        << test::arguments_text(chosen.options);
  }
}

}  // namespace
}  // namespace warpmeter
