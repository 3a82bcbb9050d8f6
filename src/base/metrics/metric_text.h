// Metrics in the text format of Prometheus, version 0.0.4.
//
// Source: https://prometheus.io/docs/instrumenting/exposition_formats/ (text-based format).
//
// Threads: one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpmeter::inline base {

using MetricLabels = std::vector<std::pair<std::string_view, std::string>>;  // name and value, not yet escaped

class MetricText {
 public:
  enum class Type { counter, gauge, histogram };

  // The samples that follow are of this metric. REQUIRES: the name is one by Prometheus' rules, and was not given yet.
  void family(std::string_view name, Type type, std::string_view help);

  // REQUIRES: a family that is no histogram.
  void sample(std::uint64_t value, const MetricLabels& labels = {});
  void sample(double value, const MetricLabels& labels = {});

  // All samples of a histogram without labels: how many observations are at most `bounds[i]` and more than the bound
  // before; of the last of `counts`, which has no bound, more than all. REQUIRES: one more count than bounds.
  void histogram(std::span<const double> bounds, std::span<const std::uint64_t> counts, double sum);

  const std::string& text() const { return text_; }

 private:
  void line(std::string_view suffix, const MetricLabels& labels, std::string_view value);

  std::string name_;
  std::string text_;
};

}  // namespace warpmeter::inline base
