// Flow Records of hosts that behave alike, or but for one: for tests of what the report claims.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

#include "analysis/page/report_data.h"
#include "support/report_flows.h"

namespace warpmeter::test {

// How losses cluster in the segments of a flow.
enum class Losses { independent, by_flow, in_bursts, both };

struct HostTraffic {
  int hosts = 40;
  double share = 0.02;
  Losses losses = Losses::independent;
  double flows = 12, flows_spread = 1.5;        // of a host: the median of a log-normal distribution, and its sigma
  double segments = 25, segments_spread = 1.5;  // of a flow
  int fewest_flows = 1;
  int planted = -1;  // a host with `times` the share, and `planted_flows` flows
  double times = 2;
  int planted_flows = 0;
};

// Distributions of our own: those of the standard library differ between its makers, and so would what a seed gives.
class TrafficMaker {
 public:
  TrafficMaker(const HostTraffic& traffic, unsigned seed) : traffic_(traffic), random_(seed) {}

  void add_to(ReportData& data) {
    for (int host = 0; host < traffic_.hosts; ++host) {
      const bool planted = host == traffic_.planted;
      const int drawn = static_cast<int>(log_normal(traffic_.flows, traffic_.flows_spread));
      const int flows = planted ? traffic_.planted_flows : std::clamp(drawn, traffic_.fewest_flows, 2000);
      for (int flow = 0; flow < flows; ++flow) {
        const auto segments =
            static_cast<std::uint64_t>(std::clamp(log_normal(traffic_.segments, traffic_.segments_spread), 1.0, 1e5));
        const std::uint64_t lost = losses(segments, planted ? traffic_.times * traffic_.share : traffic_.share);
        FlowRecord record = data_flow(host, 10'000 + static_cast<int>(random_() % 50), segments, lost);
        record.start_ns += static_cast<std::int64_t>(random_() % 600) * kSecondNs;
        record.end_ns = record.start_ns + kSecondNs;
        data.add(record);
      }
    }
  }

 private:
  double uniform() { return (static_cast<double>(random_() >> 11) + 0.5) / 9007199254740992.0; }
  double exponential() { return -std::log(uniform()); }
  double normal() { return std::sqrt(2 * exponential()) * std::cos(6.283185307179586 * uniform()); }
  double log_normal(double median, double sigma) { return median * std::exp(sigma * normal()); }

  // How many of so many, each with its own luck: by the distances from one to the next.
  std::uint64_t binomial(std::uint64_t trials, double share) {
    std::uint64_t events = 0;
    for (double at = 0; (at += std::floor(exponential() / -std::log1p(-share)) + 1) <= static_cast<double>(trials);) {
      ++events;
    }
    return events;
  }

  std::uint64_t losses(std::uint64_t segments, double share) {
    const Losses kind = traffic_.losses;
    // Of a flow with a share of its own: exponential, so that it may be many times the mean.
    if (kind == Losses::by_flow || kind == Losses::both) share = std::min(0.9, share * exponential());
    if (kind != Losses::in_bursts && kind != Losses::both) return binomial(segments, share);
    constexpr double kMeanBurst = 5;
    std::uint64_t lost = 0;
    for (std::uint64_t bursts = binomial(segments, share / kMeanBurst); bursts > 0; --bursts) {
      lost += 1 + static_cast<std::uint64_t>(exponential() / -std::log1p(-1 / kMeanBurst));
    }
    return std::min(lost, segments);
  }

  const HostTraffic traffic_;
  std::mt19937_64 random_;
};

inline ReportData report_data(const HostTraffic& traffic, unsigned seed) {
  ReportData data;
  TrafficMaker(traffic, seed).add_to(data);
  return data;
}

}  // namespace warpmeter::test
