#include "base/metrics/metric_text.h"

#include <fmt/format.h>

#include <cmath>

namespace warpmeter::inline base {
namespace {

// `quoted`: a label's value; else a text behind # HELP.
std::string escaped(std::string_view text, bool quoted) {
  std::string safe;
  for (const char c : text) {
    if (c == '\\') safe += "\\\\";
    else if (c == '\n') safe += "\\n";
    else if (c == '"' && quoted) safe += "\\\"";
    else safe += c;
  }
  return safe;
}

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

const char* word(MetricText::Type type) {
  switch (type) {
    case MetricText::Type::counter: return "counter";
    case MetricText::Type::histogram: return "histogram";
    default: return "gauge";
  }
}

}  // namespace

void MetricText::family(std::string_view name, Type type, std::string_view help) {
  name_ = name;
  text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, escaped(help, false), name, word(type));
}

void MetricText::sample(std::uint64_t value, const MetricLabels& labels) { line("", labels, std::to_string(value)); }
void MetricText::sample(double value, const MetricLabels& labels) { line("", labels, number(value)); }

void MetricText::histogram(std::span<const double> bounds, std::span<const std::uint64_t> counts, double sum) {
  std::uint64_t so_far = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    so_far += counts[i];
    line("_bucket", {{"le", i < bounds.size() ? number(bounds[i]) : "+Inf"}}, std::to_string(so_far));
  }
  line("_sum", {}, number(sum));
  line("_count", {}, std::to_string(so_far));
}

void MetricText::line(std::string_view suffix, const MetricLabels& labels, std::string_view value) {
  text_ += name_;
  text_ += suffix;
  char before = '{';
  for (const auto& [name, of_label] : labels) {
    text_ += fmt::format("{}{}=\"{}\"", before, name, escaped(of_label, true));
    before = ',';
  }
  if (before == ',') text_ += '}';
  text_ += fmt::format(" {}\n", value);
}

}  // namespace warpmeter::inline base
