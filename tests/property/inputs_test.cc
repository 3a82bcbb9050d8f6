// One trace in other wrappings: cut into several files, or through a pipe.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "property/cut_capture.h"
#include "property/in_process.h"
#include "reference/random_traffic.h"
#include "reference/reference.h"
#include "reference/reference_random.h"

namespace warpmeter {
namespace {

using test::InProcess;
using test::Setting;

TEST(Inputs, SeveralFilesAreOneTrace) {
  for (std::uint64_t seed = 30'001; seed <= 30'000 + test::property_cases(300) / 3; ++seed) {
    reference::RandomCase chosen = reference::random_case(seed);
    chosen.shape.cut_file = false;
    const auto bytes = reference::random_traffic(chosen.shape);
    const auto parts = test::cut_in_three(bytes, chosen.shape.big_endian, seed);
    const Setting setting{static_cast<unsigned>(1 + seed % 3), static_cast<std::uint32_t>(1 + seed % 50)};
    InProcess program;
    const auto got = program.run(parts, chosen.options, setting);
    ASSERT_TRUE(test::same_csv(reference::flow_csv(bytes, chosen.options), got.csv))
        << "seed " << seed << ", " << setting << ", options " << test::arguments_text(chosen.options);
    ASSERT_EQ(got.status, ExitStatus::ok);
  }
}

// Damage ends its file, not the trace.
TEST(Inputs, DamageEndsOneFileOnly) {
  const test::SilentErrors silent;
  for (std::uint64_t seed = 40'001; seed <= 40'000 + test::property_cases(300) / 6; ++seed) {
    reference::RandomCase first = reference::random_case(seed), second = reference::random_case(seed + 1000);
    first.shape.cut_file = true;
    first.shape.packets = 50;
    const test::Captures both = {reference::random_traffic(first.shape), reference::random_traffic(second.shape)};
    const auto expected = reference::extract(both, first.options);
    InProcess program;
    const auto got = program.run(both, first.options, {2, 16});
    ASSERT_TRUE(test::same_csv(expected.csv, got.csv)) << "seed " << seed;
    ASSERT_EQ(got.status, ExitStatus::damaged) << "seed " << seed;
    ASSERT_EQ(got.stats["damage"].size(), expected.damage.size()) << "seed " << seed;
    ASSERT_EQ(got.stats["damage"][0]["offset"], expected.damage[0].offset) << "seed " << seed;
  }
}

// Writes in odd pieces, so that records are cut anywhere.
void feed(const std::string& fifo, const std::vector<std::uint8_t>& bytes, std::uint64_t seed) {
  reference::Random random(seed);
  const int fd = open(fifo.c_str(), O_WRONLY | O_CLOEXEC);
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t piece =
        std::min<std::size_t>(bytes.size() - at, 1 + random.below(random.percent(50) ? 30 : 9000));
    const ssize_t done = write(fd, bytes.data() + at, piece);
    if (done <= 0) break;
    at += static_cast<std::size_t>(done);
  }
  close(fd);
}

TEST(Inputs, PipeGivesWhatAFileGives) {
  const test::SilentErrors silent;
  signal(SIGPIPE, SIG_IGN);  // a damaged capture is not read to its end
  for (std::uint64_t seed = 50'001; seed <= 50'000 + test::property_cases(300) / 3; ++seed) {
    const reference::RandomCase chosen = reference::random_case(seed);
    const auto bytes = reference::random_traffic(chosen.shape);
    InProcess program;
    const std::string fifo = program.folder().file("pipe");
    ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
    const std::jthread writer(feed, fifo, std::cref(bytes), seed);
    const Setting setting{static_cast<unsigned>(1 + seed % 3), static_cast<std::uint32_t>(1 + seed % 100)};
    ASSERT_TRUE(test::same_csv(reference::flow_csv(bytes, chosen.options),
                               program.run_files({fifo}, chosen.options, setting).csv))
        << "seed " << seed << ", " << setting << ", options " << test::arguments_text(chosen.options);
  }
}

}  // namespace
}  // namespace warpmeter
