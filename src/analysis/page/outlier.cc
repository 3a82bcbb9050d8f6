#include "analysis/page/outlier.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "analysis/page/confidence.h"

namespace warpmeter::inline analysis {
namespace {

constexpr std::size_t kCandidates = 8;  // by each of two measures; the others are not above them
constexpr double kFewestEvents = 10;  // of the others, bursts counting as one; with fewer nobody knows how they cluster
constexpr double kHardly = 4;         // dispersion up to which losses hardly cluster in flows

// The dispersion as a line over a size: `base`, at least 1, and `slope`, at least 0.
struct Line {
  double base = 1;
  double slope = 0;
  double at(double size) const { return base + slope * size; }
};

// By moments: over `count` points the sizes, their squares, the values and the values times sizes have these sums.
Line line_through(double count, double sizes, double sizes_squared, double values, double values_by_sizes) {
  Line line;
  if (!(count > 0 && sizes > 0)) return line;
  const double determinant = count * sizes_squared - sizes * sizes;
  if (determinant > 1e-9 * count * sizes_squared) {
    line.slope = (count * values_by_sizes - sizes * values) / determinant;
    line.base = (values * sizes_squared - values_by_sizes * sizes) / determinant;
  } else line = {values_by_sizes / sizes, 0};
  if (line.slope < 0) line = {std::max(values / count, values_by_sizes / sizes), 0};
  if (line.base < 1) line = {1, std::max(0.0, (values_by_sizes - sizes) / sizes_squared)};
  return line;
}

double variance_of_one(double share) { return share * (1 - share); }

// The sum of the squares of how far flows are from `share`.
double squares_about(const FlowSums& s, double share) {
  return s.events_squared - 2 * share * s.events_by_trials + share * share * s.trials_squared;
}

// Of all trials together: the largest flows make most of it.
double dispersion_of_all(const FlowSums& s, double share) {
  return std::max(1.0, squares_about(s, share) / (s.trials * variance_of_one(share)));
}

Line line_of_flows(const FlowSums& s, double share) {
  const double one = variance_of_one(share);
  const double squares_by_trials = s.events_squared_by_trials - 2 * share * s.events + share * share * s.trials;
  return line_through(s.flows, s.trials, s.trials_squared, squares_by_trials / one, squares_about(s, share) / one);
}

// Of the host's own flows about its own share.
double own_dispersion(const FlowSums& host) {
  const double one = variance_of_one(host.share());
  if (host.flows < 2 || !(one > 0)) return 1;
  return squares_about(host, host.share()) / (host.trials * one) * host.flows / (host.flows - 1);
}

bool has_enough(const FlowSums& host) { return host.trials >= kFewestTrials; }

// What most hosts have one flow of.
bool flow_is_host(std::span<const FlowSums> hosts) {
  std::size_t enough = 0, single = 0;
  for (const FlowSums& host : hosts) {
    enough += has_enough(host);
    single += has_enough(host) && host.flows < 2;
  }
  return 2 * single > enough;
}

bool is_examined(const FlowSums& host, bool single_too) { return has_enough(host) && (single_too || host.flows >= 2); }

// How far out, in squares of standard deviations of a normal distribution, a value of so small a probability to be
// above it lies.
double squared_deviations(double probability) {
  double low = 0, high = 40;
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.0)) > 2 * probability ? low : high) = middle;
  }
  return low * low;
}

// How much larger than the mean square of so many normal deviations their variance may be, with 95 % confidence: by the
// quantile of the chi-square distribution (E. B. Wilson, M. M. Hilferty: The Distribution of Chi-Square. Proc. Natl.
// Acad. Sci. 17 (1931), 684-688).
double squares_to_fewest_squares(double squares) {
  constexpr double kOneSided95 = 1.6448536269514722;
  const double ninth = 2 / (9 * std::max(1.0, squares));
  const double root = std::max(0.1, 1 - ninth - kOneSided95 * std::sqrt(ninth));
  return 1 / (root * root * root);
}

// All but one host, and how they disperse.
class Others {
 public:
  Others(std::span<const FlowSums> hosts, const FlowSums& all, const FlowSums& rest, std::size_t left_out)
      : hosts_(hosts),
        left_out_(left_out),
        named_(all),
        trials_(all.trials + rest.trials),
        events_(all.events + rest.events) {
    named_.subtract(hosts[left_out]);
    trials_ -= hosts[left_out].trials;
    events_ -= hosts[left_out].events;
    share_ = trials_ > 0 ? std::clamp(events_ / trials_, 0.0, 1.0) : 0;
    one_ = variance_of_one(share_);
    if (!(named_.trials > 0 && one_ > 0)) return;
    of_all_ = dispersion_of_all(named_, share_);
    of_flows_ = line_of_flows(named_, share_);
    fit_hosts();
    raise_for_extremes();
  }

  bool any() const { return trials_ > 0; }
  double share() const { return share_; }
  double of_all() const { return of_all_; }
  bool tell_how_they_cluster() const { return events_ >= kFewestEvents * of_all_; }
  double dispersion(const FlowSums& host) const { return raised_ * before_raising(host); }

  // How many times their share that of these flows of the host is, at least, and what counts were divided by.
  std::pair<double, double> times_at_least(const FlowSums& flows, double least_dispersion, double error) const {
    if (!(flows.events > 0)) return {0, 1};
    const double part = flows.trials / (flows.trials + trials_);
    const double of_host = std::max(dispersion(flows), least_dispersion);
    // What the host's part of the events has. With a flow alone, it hangs on how well that of the others is known.
    const double unsure = flows.flows < 2 ? squares_to_fewest_squares(compared_) : 1;
    const double by = unsure * ((1 - part) * of_host + part * mean_dispersion());
    const double at_least = exactly_at_least(flows.events / by, (flows.events + events_) / by, error);
    return {at_least / part * (1 - part) / (1 - at_least), by};
  }

 private:
  double mean_dispersion() const {
    double sum = 0, trials = 0;
    for_each([&](const FlowSums& host) {
      sum += dispersion(host) * host.trials;
      trials += host.trials;
    });
    return trials > 0 ? sum / trials : 1;
  }

  template <class Do>
  void for_each(Do each) const {
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      if (i != left_out_ && hosts_[i].trials > 0) each(hosts_[i]);
    }
  }

  double by_flows(const FlowSums& host) const {
    const double line = of_flows_.at(host.trials_squared / host.trials);
    return host.flows < 2 ? std::max(line, of_all_) : line;  // a burst may be all of a small flow
  }

  // The variance of the host's events if they disperse as its flows do, which is its size in the line over hosts.
  double size(const FlowSums& host) const { return one_ * host.trials / by_flows(host); }
  double before_raising(const FlowSums& host) const { return by_flows(host) * of_hosts_.at(size(host)); }

  void fit_hosts() {
    double count = 0, sizes = 0, sizes_squared = 0, values = 0, values_by_sizes = 0;
    for_each([&](const FlowSums& host) {
      if (!has_enough(host)) return;
      const double its_size = size(host), distance = host.events - share_ * host.trials;
      const double value = distance * distance / (one_ * host.trials * by_flows(host));
      ++count;
      sizes += its_size;
      sizes_squared += its_size * its_size;
      values += value;
      values_by_sizes += value * its_size;
    });
    if (count < 2) return;
    const double fitted = count / (count - 1);  // the share is theirs
    of_hosts_ = line_through(count, sizes, sizes_squared, values * fitted, values_by_sizes * fitted);
    // The slope is carried on to hosts larger than all others, and so taken without its standard error.
    const double spread = sizes_squared - sizes * sizes / count;
    const double sure_slope = spread > 0 ? std::max(0.0, of_hosts_.slope - std::sqrt(2 / spread)) : 0;
    of_hosts_ = {std::max(of_hosts_.base, (values * fitted - sure_slope * sizes) / count), sure_slope};
    compared_ = count;
  }

  // The square root makes the variance of a count the same for all, and the rare event among few trials no extreme (F.
  // J. Anscombe: The Transformation of Poisson, Binomial and Negative-Binomial Data. Biometrika 35 (1948), 246-254).
  double square_above(const FlowSums& host) const {
    const double by = before_raising(host);
    const double z = 2 * (std::sqrt(host.events / by + 0.375) - std::sqrt(share_ * host.trials / by + 0.375));
    return z > 0 ? z * z : 0;
  }

  // How many of so many are to be expected at least as far out as the r-th is with a probability of 5 %: the mean of a
  // Poisson distribution that reaches r so rarely.
  static constexpr std::array kExpectedBeyond = {0.0513, 0.3554, 0.8177, 1.3663, 1.9701};

  void raise_for_extremes() {
    std::vector<double> squares;
    for_each([&](const FlowSums& host) {
      if (has_enough(host)) squares.push_back(square_above(host));
    });
    const std::size_t extremes = std::min(squares.size(), kExpectedBeyond.size());
    std::partial_sort(squares.begin(), squares.begin() + static_cast<std::ptrdiff_t>(extremes), squares.end(),
                      std::greater());
    for (std::size_t r = 0; r < extremes; ++r) {
      const double probability = kExpectedBeyond[r] / compared_;
      if (probability < 0.3) raised_ = std::max(raised_, squares[r] / squared_deviations(probability));
    }
  }

  const std::span<const FlowSums> hosts_;
  const std::size_t left_out_;
  FlowSums named_;
  double trials_, events_;
  double share_ = 0, one_ = 0, compared_ = 1, raised_ = 1, of_all_ = 1;
  Line of_flows_, of_hosts_;
};

// Those farthest above what is to be expected, counted with their dispersion and without it: one that is far out raises
// the dispersion of all, and so hides from the first measure.
std::vector<std::size_t> candidates(std::span<const FlowSums> hosts, const FlowSums& all, double share) {
  const Line line = line_of_flows(all, share);
  const bool single_too = flow_is_host(hosts);
  std::vector<std::size_t> places, found;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (is_examined(hosts[i], single_too) && hosts[i].events > share * hosts[i].trials) places.push_back(i);
  }
  const auto take_first = [&](auto variance) {
    const auto far = [&](std::size_t i) {
      return (hosts[i].events - share * hosts[i].trials) / std::sqrt(variance(hosts[i]));
    };
    const auto end = places.begin() + static_cast<std::ptrdiff_t>(std::min(kCandidates, places.size()));
    std::partial_sort(places.begin(), end, places.end(), [&](std::size_t a, std::size_t b) {
      const double of_a = far(a), of_b = far(b);
      return of_a != of_b ? of_a > of_b : a < b;
    });
    for (auto place = places.begin(); place != end; ++place) {
      if (std::ranges::find(found, *place) == found.end()) found.push_back(*place);
    }
  };
  take_first([&](const FlowSums& host) { return line.base * host.trials + line.slope * host.trials_squared; });
  take_first([](const FlowSums& host) { return host.trials; });
  return found;
}

std::optional<Outlier> test_one(std::span<const FlowSums> hosts, const FlowSums& all, const FlowSums& rest,
                                std::size_t place, double error) {
  const FlowSums& host = hosts[place];
  const Others others(hosts, all, rest, place);
  if (!others.any() || host.share() < kWorthAWord * others.share()) return std::nullopt;
  const bool known = others.tell_how_they_cluster();
  if (host.flows < 2 && (!known || others.of_all() > kHardly)) return std::nullopt;
  const double at_large = known ? 1 : dispersion_of_all(all, all.share());
  const auto test = [&](const FlowSums& flows) {
    return others.times_at_least(flows, std::max(own_dispersion(flows), at_large), error);
  };
  const auto [times, by] = test(host);
  if (!(times > 1) || (host.flows >= 2 && !(test(host.without_worst()).first > 1))) return std::nullopt;
  return Outlier{place, others.share(), times, by};
}

}  // namespace

void FlowSums::add_flow(double its_trials, double its_events) {
  if (!(its_trials > 0)) return;
  its_events = std::min(its_events, its_trials);
  const double by_trials = its_events * its_events / its_trials;
  add({1, its_trials, its_events, by_trials, its_events * its_events, its_events * its_trials, its_trials * its_trials,
       its_trials, its_events});
}

void FlowSums::add(const FlowSums& other) {
  flows += other.flows;
  trials += other.trials;
  events += other.events;
  events_squared_by_trials += other.events_squared_by_trials;
  events_squared += other.events_squared;
  events_by_trials += other.events_by_trials;
  trials_squared += other.trials_squared;
  const auto measure = [](const FlowSums& s) {
    return s.worst_trials > 0 ? s.worst_events * s.worst_events / s.worst_trials : -1;
  };
  if (measure(other) <= measure(*this)) return;
  worst_trials = other.worst_trials;
  worst_events = other.worst_events;
}

void FlowSums::subtract(const FlowSums& part) {
  flows -= part.flows;
  trials -= part.trials;
  events -= part.events;
  events_squared_by_trials -= part.events_squared_by_trials;
  events_squared -= part.events_squared;
  events_by_trials -= part.events_by_trials;
  trials_squared -= part.trials_squared;
}

FlowSums FlowSums::without_worst() const {
  FlowSums worst, left = *this;
  worst.add_flow(worst_trials, worst_events);
  left.subtract(worst);
  return left;
}

std::size_t examined(std::span<const FlowSums> hosts) {
  const bool single_too = flow_is_host(hosts);
  return static_cast<std::size_t>(
      std::ranges::count_if(hosts, [&](const FlowSums& host) { return is_examined(host, single_too); }));
}

std::optional<Outlier> find_outlier(std::span<const FlowSums> hosts, const FlowSums& rest, double error) {
  if (examined(hosts) < kFewestHosts) return std::nullopt;
  FlowSums all;
  for (const FlowSums& host : hosts) all.add(host);
  const double share = all.share();
  if (!(variance_of_one(share) > 0)) return std::nullopt;
  for (const std::size_t place : candidates(hosts, all, share)) {
    if (const auto found = test_one(hosts, all, rest, place, error)) return found;
  }
  return std::nullopt;
}

}  // namespace warpmeter::inline analysis
