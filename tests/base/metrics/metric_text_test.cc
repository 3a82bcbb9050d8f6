// The text format of Prometheus: lines, escapes, numbers, histograms that sum up.
#include "base/metrics/metric_text.h"

#include <gtest/gtest.h>

#include <cmath>

namespace warpmeter {
namespace {

using Type = MetricText::Type;

TEST(MetricText, FamilyAndSamples) {
  MetricText text;
  text.family("a_total", Type::counter, "what a is");
  text.sample(std::uint64_t{18'446'744'073'709'551'615u});
  text.sample(std::uint64_t{1}, {{"ring", "0"}, {"interface", "eth0"}});
  EXPECT_EQ(text.text(),
            "# HELP a_total what a is\n# TYPE a_total counter\na_total 18446744073709551615\n"
            "a_total{ring=\"0\",interface=\"eth0\"} 1\n");
}

TEST(MetricText, LabelsAndHelpAreEscaped) {
  MetricText text;
  text.family("a", Type::gauge, "one \"line\"\nwith a \\");
  text.sample(0.5, {{"name", "a\"b\\c\nd"}});
  EXPECT_EQ(text.text(), R"(# HELP a one "line"\nwith a \\
# TYPE a gauge
a{name="a\"b\\c\nd"} 0.5
)");
}

TEST(MetricText, NumbersThatAreNone) {
  MetricText text;
  text.sample(std::nan(""));
  text.sample(HUGE_VAL);
  text.sample(-HUGE_VAL);
  EXPECT_EQ(text.text(), " NaN\n +Inf\n -Inf\n");
}

TEST(MetricText, BucketsOfAHistogramAreSums) {
  MetricText text;
  text.family("a_seconds", Type::histogram, "how long");
  const double bounds[] = {0.1, 1};
  const std::uint64_t counts[] = {2, 0, 3};
  text.histogram(bounds, counts, 12.5);
  EXPECT_EQ(text.text(), R"(# HELP a_seconds how long
# TYPE a_seconds histogram
a_seconds_bucket{le="0.1"} 2
a_seconds_bucket{le="1"} 2
a_seconds_bucket{le="+Inf"} 5
a_seconds_sum 12.5
a_seconds_count 5
)");
}

}  // namespace
}  // namespace warpmeter
