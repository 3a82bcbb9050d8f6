// On captures, the engine of the CUDA backend writes what the CPU backend writes: on those of data/, and on those of
// the folder that WARPMETER_CAPTURES names.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "property/engine_under_test.h"
#include "support/packets.h"
#include "support/pcap_file.h"
#include "support/source_folder.h"
#include "warpmeter/link_type.h"

namespace warpmeter {
namespace {

using test::EngineUnderTest;
using test::InProcess;
using test::Setting;

std::vector<std::string> captures() {
  std::vector<std::string> files;
  const char* more = std::getenv("WARPMETER_CAPTURES");
  for (const std::string& folder : {test::source_folder() + "/data", std::string(more ? more : "")}) {
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
      const std::string name = entry.path().extension();
      if (name == ".pcap" || name == ".cap" || name == ".pcapng") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// What the program writes, or why it does not.
std::string outcome(const std::string& file, const reference::Options& options, const Setting& setting) {
  InProcess program;
  try {
    return program.run_files({file}, options, setting).csv;
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(DeviceCaptures, AreMeteredAsOnTheCpu) {
  const test::SilentErrors silent;
  std::size_t seen = 0;
  for (const std::string& file : captures()) {
    for (const auto method : {reference::Method::exact, reference::Method::five_tuple}) {
      reference::Options options;
      options.method = method;
      options.block = 1 << 14;
      // Roomy, or so small that flows are let go and handed over; several devices.
      const EngineUnderTest roomy{.flows = 1 << 16, .memory = std::size_t{1} << 30};
      const EngineUnderTest small{.piece = 4, .flows = 200, .hole_units = 4};
      const std::string expected = outcome(file, options, {.threads = 2});
      ASSERT_EQ(outcome(file, options, test::on_engine_under_test({.threads = 2, .batch = 4096}, roomy)), expected)
          << file;
      ASSERT_EQ(outcome(file, options, test::on_engine_under_test({.threads = 2, .batch = 50, .devices = 3}, small)),
                expected)
          << file;
    }
    ++seen;
  }
  EXPECT_GE(seen, 1u);
}

// A large batch is read in several chunks. Where payloads look like pcap records, it is guessed wrong where they
// begin, and they are decoded again.
TEST(DeviceCaptures, OfLookAlikesAreMeteredOnce) {
  test::Bytes look_alikes;
  for (int i = 0; i < 20; ++i) {
    test::PcapFile inner(test::PcapDialect{.link = kLinkRaw});
    inner.record(1, 0, test::ip4({.protocol = kProtocolUdp, .id = 9}, test::udp(7, 8)));
    const test::Bytes bytes = inner.data();
    look_alikes.insert(look_alikes.end(), bytes.begin() + 24, bytes.end());  // without the file's header
  }
  test::PcapFile file(test::PcapDialect{.link = kLinkRaw});
  for (std::uint16_t i = 0; i < 10'000; ++i) {
    test::Bytes payload(i % 7);  // so that no chunk begins where a pcap record does
    payload.insert(payload.end(), look_alikes.begin(), look_alikes.end());
    const auto packet = test::ip4({.protocol = kProtocolUdp, .id = i}, test::udp(i % 50, 53, payload));
    file.record(1, i, packet);
  }
  for (const unsigned threads : {1u, 4u}) {
    InProcess program;
    const EngineUnderTest engine{};
    const auto got =
        program.run({file.data()}, {}, test::on_engine_under_test({.threads = threads, .batch = 1 << 14}, engine));
    EXPECT_EQ(got.stats["packets metered"], 10'000);
    EXPECT_TRUE(test::same_csv(program.run({file.data()}, {}, {.threads = 1}).csv, got.csv));
  }
}

}  // namespace
}  // namespace warpmeter
