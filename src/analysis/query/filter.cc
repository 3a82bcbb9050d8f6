#include "analysis/query/filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/query/expression.h"
#include "analysis/query/names.h"
#include "warpmeter/time_form.h"

namespace warpmeter::inline analysis {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

struct FilterName {
  Field field;
  std::int64_t plain_ns;  // what a span of time without a unit is multiplied by
};

std::string is_near(std::string_view word, std::string_view near) {
  return fmt::format("'{}' is no column (near: {})", word, near);
}

struct FlowVocabulary {
  using Test = Comparison;
  using Name = FilterName;
  std::string_view what;

  // "tcp", "ip6"; "ipv6" is the version, not the protocol 41 that has that name too
  std::optional<Comparison> shorthand(std::string_view word) const {
    const auto version = ip_version_number(word);
    if (!version && !protocol_number(word)) return std::nullopt;
    Comparison comparison({version ? Field::Kind::version : Field::Kind::protocol}, Operator::equal);
    comparison.add_value(version ? std::to_string(*version) : word);
    return comparison;
  }

  // A name says what plain numbers behind it are: duration_ns, duration_us; duration alone takes seconds, as options.
  std::optional<FilterName> find(std::string_view word) const {
    if (word.ends_with("_us")) {
      const std::string in_ns = std::string(word.substr(0, word.size() - 2)) + "ns";
      const auto field = Field::of(in_ns);
      return field && field->type() == FieldType::span ? std::optional(FilterName{*field, kNsPerUs}) : std::nullopt;
    }
    const auto field = Field::of(word);
    return field ? std::optional(FilterName{*field, word.ends_with("_ns") ? 1 : kNsPerSecond}) : std::nullopt;
  }
  // Some write as for tcpdump, or in capitals.
  std::string unknown(std::string_view word) const {
    std::string small(word);
    std::transform(small.begin(), small.end(), small.begin(), [](unsigned char c) { return std::tolower(c); });
    if (small == "host") return is_near(word, "addr, src_addr, dst_addr");
    return small != word && (shorthand(small) || find(small)) ? is_near(word, small) : no_such_field(word);
  }
  FieldType type(FilterName name) const { return name.field.type(); }
  Comparison test(FilterName name, Operator op) const { return {name.field, op, name.plain_ns}; }
};

}  // namespace

struct Filter::Node {
  Expression<Comparison> whole;
};

Filter::Filter(const std::string& text, std::string_view what)
    : root_(std::make_shared<Node>(Node{ExpressionParser(text, FlowVocabulary{what}).whole()})) {}

bool Filter::matches(const Biflow& flow) const { return root_->whole.matches(flow); }

}  // namespace warpmeter::inline analysis
