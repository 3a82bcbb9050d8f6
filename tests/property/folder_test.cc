// Folders in which captures lie among other things: what can be read gives the output of the captures alone, everything
// else is counted, as what it is.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "property/in_process.h"
#include "reference/random_traffic.h"
#include "reference/reference.h"
#include "reference/reference_random.h"
#include "support/packed.h"

namespace warpmeter {
namespace {

namespace fs = std::filesystem;
using test::Bytes;

// Bytes that no capture begins with, but the beginning of one may.
struct Litter {
  std::uint64_t unreadable = 0, passed_over = 0;

  void add(const fs::path& place, const Bytes& capture, reference::Random& random) {
    switch (random.below(7)) {
      case 0: return unreadable_file(place, {});
      case 1: return unreadable_file(place, Bytes(capture.begin(), capture.begin() + 4 + random.below(20)));
      case 2: {
        Bytes unknown_link = capture;
        for (const std::size_t at : {20, 21, 22, 23}) unknown_link[at] = at % 3 == 2 ? 147 : 0;  // in either byte order
        return unreadable_file(place, unknown_link);
      }
      case 3: fs::create_symlink("nowhere", place); break;
      case 4: {
        const std::vector<test::Packer> packers = test::packers();
        if (packers.empty()) return;
        const Bytes packed = packers[random.below(packers.size())].pack(capture);
        return unreadable_file(place, Bytes(packed.begin(), packed.begin() + 8));
      }
      case 5: ++passed_over, test::write_file(place, Bytes(1 + random.below(200), 'x')); return;
      default: ++passed_over, mkfifo(place.c_str(), 0600); return;
    }
    ++unreadable;
  }

 private:
  void unreadable_file(const fs::path& place, const Bytes& bytes) {
    test::write_file(place, bytes);
    ++unreadable;
  }
};

TEST(Folders, WhatIsNoCaptureIsCountedAndChangesNothing) {
  const test::SilentErrors silent;
  std::uint64_t unreadable = 0, passed_over = 0;
  for (std::uint64_t seed = 80'001; seed <= 80'000 + test::property_cases(300); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    reference::Random random(seed);
    reference::RandomCase chosen = reference::random_case(seed);
    chosen.shape.cut_file = false;
    const Bytes capture = reference::random_traffic(chosen.shape);
    test::InProcess program;
    const fs::path folder = program.folder().file("captures");
    fs::create_directory(folder);
    Litter litter;
    for (std::uint64_t i = random.below(8); i > 0; --i) {
      litter.add(folder / std::to_string(random.below(1'000'000)), capture, random);
    }
    test::write_file(folder / "capture", capture);
    const test::Setting setting{.threads = static_cast<unsigned>(1 + random.below(3)), .order = FileOrder::time};
    const test::Extracted got = program.run_files({folder}, chosen.options, setting);
    ASSERT_TRUE(test::same_csv(reference::flow_csv(capture, chosen.options), got.csv));
    ASSERT_EQ(got.stats["unreadable"].size(), litter.unreadable);
    ASSERT_EQ(got.stats["passed over"], litter.passed_over);
    ASSERT_EQ(got.status, litter.unreadable ? ExitStatus::damaged : ExitStatus::ok);
    unreadable += litter.unreadable;
    passed_over += litter.passed_over;
  }
  EXPECT_GT(unreadable, test::property_cases(300));
  EXPECT_GT(passed_over, test::property_cases(300) / 2);
}

}  // namespace
}  // namespace warpmeter
