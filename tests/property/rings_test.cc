// Packets of a flow that come over several rings have no order between these. What is metered then is what the oracle
// says of that order, on both backends; and of connections that are whole it is what would have been metered in order,
// but for what is a question of order itself.
#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "kernels/tile_sizes.h"
#include "property/engine_under_test.h"
#include "reference/over_rings.h"
#include "reference/random_traffic.h"
#include "reference/reference.h"
#include "support/packets.h"

namespace warpmeter {
namespace {

using reference::Random;
using test::EngineUnderTest;
using test::InProcess;
using test::Setting;
using test::TcpFields;

constexpr std::uint64_t kRingCases = 100;
constexpr std::uint8_t kFinBit = 1, kSynBit = 2, kPushBit = 8, kAckBit = 16;

TEST(Rings, TheOracleSaysWhatIsMeteredOfAnyOrder) {
  const test::SilentErrors silent;
  const std::vector<unsigned> tiles = test::tile_sizes();
  std::uint64_t late = 0;
  for (std::uint64_t seed = 1; seed <= test::property_cases(kRingCases) && !HasFailure(); ++seed) {
    Random random(seed);
    reference::RandomCase chosen = reference::random_case(seed);
    chosen.shape.time_runs_back = chosen.shape.cut_file = false;
    const auto in_order = reference::random_traffic(chosen.shape);
    const auto bytes =
        reference::over_rings(in_order, chosen.shape, 2 + random.below(3), random.pick({2u, 10u, 50u}), random);
    late += bytes != in_order;
    const std::string expected = reference::flow_csv(bytes, chosen.options);
    const std::string what = "seed " + std::to_string(seed) + ", options " + test::arguments_text(chosen.options);
    InProcess program;
    const Setting cpu{.threads = 3, .batch = random.pick({7u, 64u, 8192u})};
    EXPECT_TRUE(test::same_csv(expected, program.run({bytes}, chosen.options, cpu).csv)) << what << cpu;
    const EngineUnderTest engine{.tile = tiles[seed % tiles.size()], .piece = 16, .threads = 3, .seed = seed};
    const Setting device = test::on_engine_under_test(cpu, engine);
    const auto got = program.run({bytes}, chosen.options, device);
    if (got.stats["late packets"].get<std::uint64_t>() > 0) continue;  // the device let the flow go before
    EXPECT_TRUE(test::same_csv(expected, got.csv)) << what << "engine, " << device;
  }
  EXPECT_GT(late, test::property_cases(kRingCases) / 2);
}

// SYN, data, perhaps some of it once more, FIN.
class WholeConnections {
 public:
  WholeConnections(Random& random, std::size_t connections) : random_(random), pcap_(shape()) {
    for (std::size_t i = 0; i < connections; ++i) {
      const auto near_the_wrap = static_cast<std::uint32_t>(0 - random.below(3000));
      open_.push_back({.port = static_cast<std::uint16_t>(1024 + i),
                       .next = random.pick({near_the_wrap, static_cast<std::uint32_t>(random.bits())}),
                       .left = 3 + random.below(30)});
    }
  }

  static reference::TrafficShape shape() { return {.link = 101}; }

  std::vector<std::uint8_t> capture() {
    while (!open_.empty()) {
      const std::size_t which = random_.below(open_.size());
      if (next_of(open_[which])) continue;
      open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(which));
    }
    return pcap_.file();
  }

 private:
  struct Connection {
    std::uint16_t port;
    std::uint32_t next;  // number
    std::uint64_t left;  // segments
    bool began = false;
    std::vector<std::pair<std::uint32_t, std::uint16_t>> sent = {};  // numbers and lengths
  };

  // False: that was the last segment.
  bool next_of(Connection& c) {
    if (!std::exchange(c.began, true)) {
      segment(c.port, kSynBit, c.next++, 0);
    } else if (--c.left == 0) {
      segment(c.port, kFinBit | kAckBit, c.next, 0);
      return false;
    } else if (!c.sent.empty() && random_.percent(10)) {
      const auto [number, length] = random_.pick(c.sent);
      segment(c.port, kAckBit, number, length);
    } else if (random_.percent(15)) {
      segment(c.port, kAckBit, c.next, 0);
    } else {
      const auto length = static_cast<std::uint16_t>(random_.pick({2u, 100u, 536u, 1460u}));
      segment(c.port, kAckBit | kPushBit, c.next, length);
      c.sent.emplace_back(c.next, length);
      c.next += length;
    }
    return true;
  }

  void segment(std::uint16_t port, std::uint8_t flags, std::uint32_t number, std::uint16_t length) {
    const TcpFields fields{.source_port = port, .sequence = number, .flags = flags};
    const auto whole = static_cast<std::uint16_t>(40 + length);
    pcap_.frame(time_ns_ += 1000, test::ip4({.id = ++id_, .length = whole}, test::tcp(fields)), whole);
  }

  Random& random_;
  reference::PcapWriter pcap_;
  std::vector<Connection> open_;
  std::int64_t time_ns_ = 1'700'000'000'000'000'000;
  std::uint16_t id_ = 0;
};

// Without the columns that tell of the order.
std::string without_order(const std::string& csv) {
  std::istringstream lines(csv);
  std::string line, cell, text;
  std::set<std::size_t> left_out;
  for (bool header = true; std::getline(lines, line); header = false) {
    std::istringstream cells(line);
    for (std::size_t column = 0; std::getline(cells, cell, ','); ++column) {
      if (header && (cell == "out_of_order_segments" || cell == "keep_alive_segments")) left_out.insert(column);
      if (!left_out.contains(column)) text += cell + ',';
    }
    text += '\n';
  }
  return text;
}

// One Flow Record each, no byte falsely missing, whichever of its packets came first.
TEST(Rings, WholeConnectionsAreMeteredAsInOrder) {
  const test::SilentErrors silent;
  const std::vector<unsigned> tiles = test::tile_sizes();
  reference::Options options;
  options.duplicate_window = 0;  // the numbers of packets are those of the order
  for (std::uint64_t seed = 1; seed <= test::property_cases(kRingCases) && !HasFailure(); ++seed) {
    Random random(seed);
    const auto in_order = WholeConnections(random, 1 + random.below(20)).capture();
    const auto bytes = reference::over_rings(in_order, WholeConnections::shape(), 2 + random.below(3),
                                             random.pick({2u, 10u, 50u, 500u}), random);
    const std::string expected = without_order(reference::flow_csv(in_order, options));
    InProcess program;
    const Setting cpu{.threads = 2, .batch = 64};
    EXPECT_TRUE(test::same_csv(expected, without_order(program.run({bytes}, options, cpu).csv))) << "seed " << seed;
    const EngineUnderTest engine{.tile = tiles[seed % tiles.size()], .piece = 16, .threads = 3, .seed = seed};
    const Setting device = test::on_engine_under_test(cpu, engine);
    EXPECT_TRUE(test::same_csv(expected, without_order(program.run({bytes}, options, device).csv)))
        << "seed " << seed << ", engine";
  }
}

}  // namespace
}  // namespace warpmeter
