#include "analysis/query/filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/query/expression.h"
#include "analysis/query/literal.h"
#include "core/noted_columns.h"
#include "warpmeter/time_form.h"

namespace warpmeter::inline analysis {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

struct FilterName {
  Field field;
  std::int64_t plain_ns;  // what a span of time without a unit is multiplied by
  bool names_ns;          // moments are as they are given
};

std::string is_near(std::string_view word, std::string_view near) {
  return fmt::format("'{}' is no column (near: {})", word, near);
}

// That another column is to be compared with has a name, too.
struct FlowTest : Comparison {
  using Comparison::Comparison;
  void compare_with(const FilterName& other) { Comparison::compare_with(other.field); }
};

struct FlowVocabulary {
  using Test = FlowTest;
  using Name = FilterName;
  std::string_view what;
  OtherNames others;

  // "tcp", "ip6"; "ipv6" is the version, not the protocol 41 that has that name too; "unanswered"
  std::optional<FlowTest> shorthand(std::string_view word) const {
    if (word == "unanswered") {
      FlowTest comparison({Field::Kind::unanswered}, Operator::equal);
      comparison.add_value("1");
      return comparison;
    }
    const auto version = ip_version_number(word);
    if (!version && !protocol_number(word)) return std::nullopt;
    FlowTest comparison({version ? Field::Kind::version : Field::Kind::protocol}, Operator::equal);
    comparison.add_value(version ? std::to_string(*version) : word);
    return comparison;
  }

  // A name says what plain numbers behind it are: duration_ns, duration_us; duration alone takes seconds, as options.
  std::optional<FilterName> find(std::string_view word) const {
    if (word.ends_with("_us")) {
      const std::string in_ns = std::string(word.substr(0, word.size() - 2)) + "ns";
      const auto field = Field::of(in_ns);
      if (field && field->type() == FieldType::span) return FilterName{*field, kNsPerUs, false};
    }
    auto field = Field::of(word);
    if (!field && others == OtherNames::doubt) field = Field::of_annotation(word);
    if (!field) return std::nullopt;
    const bool names_ns = word.ends_with("_ns");
    return FilterName{*field, names_ns ? 1 : kNsPerSecond, names_ns};
  }
  // Some write as for tcpdump, or in capitals.
  std::string unknown(std::string_view word) const {
    std::string small(word);
    std::transform(small.begin(), small.end(), small.begin(), [](unsigned char c) { return std::tolower(c); });
    constexpr std::string_view kPhrases[] = {"host", "src", "dst", "last"};
    const bool phrase = std::ranges::find(kPhrases, small) != std::end(kPhrases);
    if (small == word && phrase) {
      return fmt::format("'{}' stands before {}, and there is no column of that name", word,
                         word == "last" ? "a time such as 1h" : "an address or a prefix such as 10.0.0.0/8");
    }
    const bool is_near_it =
        small != word && (phrase || shorthand(small) || FlowVocabulary{what, OtherNames::refuse}.find(small));
    return is_near_it ? is_near(word, small) : no_such_field(word);
  }
  bool is_sure(FilterName name) const { return !name.field.is_noted() || name.field == Field::of(kLabelsName); }
  FieldType type(FilterName name) const { return name.field.type(); }
  bool is_of_either_end(FilterName name) const {
    return name.field.in_filters_only() && name.field.kind != Field::Kind::unanswered;
  }
  std::vector<std::string> near(std::string_view word, FieldType of_type) const {
    std::vector<std::string> names = field_names();
    std::erase_if(names, [of_type](const std::string& name) { return Field::of(name)->type() != of_type; });
    return near_names(word, names);
  }
  FlowTest test(FilterName name, Operator op) const { return {name.field, op, name.plain_ns, name.names_ns}; }
};

struct Row {
  const SumRow& sums;
  std::vector<SumKeyValue> keys;
};

// A key, by its number, or else a column.
struct SumName {
  std::optional<std::size_t> key;
  SumColumn column;
  FieldType type = FieldType::number;
  std::optional<int> bits4 = {}, bits6 = {};  // of a key that is a prefix
  bool names_ns = false;                      // moments are as they are given

  int bits(std::uint8_t version) const { return version == 4 ? bits4.value_or(32) : bits6.value_or(128); }
};

class SumComparison {
 public:
  SumComparison(const SumName& name, Operator op) : name_(name), wanted_(name.type, op, 1, name.names_ns) {}

  std::string_view add_value(std::string_view text) { return wanted_.add_value(text); }
  void compare_with(const SumName& other) { other_ = other; }
  FieldType type() const { return wanted_.type(); }
  void add_columns(std::vector<SumColumn>& to) const {
    if (!name_.key) to.push_back(name_.column);
    if (other_ && !other_->key) to.push_back(other_->column);
  }

  bool matches(const Row& row) const {
    if (other_) return columns_match(row);
    if (!name_.key) {
      if (!name_.column.has_fraction()) return met_by(name_.column.whole(row.sums));
      const auto share = name_.column.real(row.sums);
      return share && wanted_.met_by_share(*share);
    }
    const SumKeyValue& value = row.keys[*name_.key];
    if (name_.type == FieldType::text) return !value.text.empty() && wanted_.met_by_text(value.text);
    if (name_.type != FieldType::address) return met_by(value.number);
    const int bits = name_.bits(value.version);
    return wanted_.covers_some(value.version, value.address, bits) != wanted_.asks_for_others();
  }

 private:
  bool met_by(std::optional<std::int64_t> value) const { return value && wanted_.met_by_whole(*value); }

  bool columns_match(const Row& row) const {
    const Operator op = wanted_.op();
    if (type() == FieldType::address) {
      const SumKeyValue &a = row.keys[*name_.key], &b = row.keys[*other_->key];
      return holds(op, a.version != b.version ? a.version <=> b.version
                                              : std::memcmp(a.address, b.address, sizeof a.address) <=> 0);
    }
    if (!name_.key && name_.column.has_fraction()) {
      const auto a = name_.column.real(row.sums), b = other_->column.real(row.sums);
      return a && b && holds(op, *a <=> *b);
    }
    const auto a = whole_of(name_, row), b = whole_of(*other_, row);
    return a && b && holds(op, *a <=> *b);
  }
  static std::optional<std::int64_t> whole_of(const SumName& name, const Row& row) {
    return name.key ? row.keys[*name.key].number : name.column.whole(row.sums);
  }

  SumName name_;
  std::optional<SumName> other_;
  Wanted wanted_;
};

class SumVocabulary {
 public:
  using Test = SumComparison;
  using Name = SumName;
  static constexpr std::string_view what = "--having";

  explicit SumVocabulary(const std::vector<SumKey>& keys) : keys_(keys) {}

  // "tcp" where the protocol is a key, "ip6" where the version is one.
  std::optional<SumComparison> shorthand(std::string_view word) const {
    const auto version = ip_version_number(word);
    const auto name = find(version ? "version" : "protocol");
    if (!name || !(version || protocol_number(word))) return std::nullopt;
    SumComparison test(*name, Operator::equal);
    test.add_value(version ? std::to_string(*version) : word);
    return test;
  }

  std::optional<SumName> find(std::string_view word) const {
    std::optional<SumName> name = find_any(word);
    if (name) name->names_ns = word.ends_with("_ns");
    return name;
  }
  std::optional<SumName> find_any(std::string_view word) const {
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      if (keys_[i].name() == word) return of_key(i);
    }
    if (const auto column = SumColumn::of(word)) return SumName{std::nullopt, *column, column->type()};
    const std::optional<Field> field = Field::of(word);
    std::optional<SumName> found;
    for (std::size_t i = 0; field && i < keys_.size(); ++i) {
      if (keys_[i].field() != *field) continue;
      if (found) return std::nullopt;  // src_addr/16,src_addr/24: which?
      found = of_key(i);
    }
    return found;
  }

  std::string unknown(std::string_view word) const {
    std::string text = fmt::format("'{}' is no column of these sums; there are ", word);
    const char* before = "";
    for (const SumKey& key : keys_) text += std::exchange(before, ", ") + key.name();
    for (const std::string& column : sum_column_names(word)) text += std::exchange(before, ", ") + column;
    return text;
  }

  bool is_sure(const SumName&) const { return true; }
  bool is_of_either_end(const SumName&) const { return false; }  // each sum is of one
  std::vector<std::string> near(std::string_view word, FieldType of_type) const {
    std::vector<std::string> names;
    for (const SumKey& key : keys_) {
      if (key.type() == of_type) names.push_back(key.name());
    }
    for (std::string& name : sum_column_names(word)) {
      if (SumColumn::of(name)->type() == of_type) names.push_back(std::move(name));
    }
    return near_names(word, names);
  }
  FieldType type(const SumName& name) const { return name.type; }
  SumComparison test(const SumName& name, Operator op) const { return {name, op}; }

 private:
  SumName of_key(std::size_t i) const { return {i, {}, keys_[i].type(), keys_[i].bits(4), keys_[i].bits(6)}; }

  const std::vector<SumKey>& keys_;
};

}  // namespace

struct Filter::Node {
  Expression<FlowTest> whole;
  std::vector<Doubt> doubts;
  bool counts_from_now;
};

Filter::Filter(const std::string& text, std::string_view what, OtherNames others) {
  const FlowVocabulary vocabulary{what, others};
  ExpressionParser parser(text, vocabulary);
  Expression<FlowTest> whole = parser.whole();
  root_ = std::make_shared<Node>(Node{std::move(whole), parser.doubts(), parser.counts_from_now()});
}

const std::vector<Doubt>& Filter::doubts() const { return root_->doubts; }

bool Filter::matches(const Biflow& flow, const Annotations& noted) const {
  return root_->whole.matches(NotedFlow{flow, noted});
}

bool Filter::is_of_biflows() const {
  return root_->whole.has([](const FlowTest& test) {
    return test.field().is_of_biflows() || (test.other() && test.other()->is_of_biflows());
  });
}

bool Filter::asks_for(Field::Kind kind) const {
  return root_->whole.has([kind](const FlowTest& test) {
    return test.field().kind == kind || (test.other() && test.other()->kind == kind);
  });
}

bool Filter::counts_from_now() const { return root_->counts_from_now; }

struct SumFilter::Node {
  Expression<SumComparison> whole;
};

SumFilter::SumFilter(const std::string& text, std::vector<SumKey> keys)
    : keys_(std::move(keys)),
      root_(std::make_shared<Node>(Node{ExpressionParser(text, SumVocabulary(keys_)).whole()})) {}

std::vector<SumColumn> SumFilter::columns() const {
  std::vector<SumColumn> columns;
  root_->whole.has([&](const SumComparison& test) { return test.add_columns(columns), false; });
  return columns;
}

bool SumFilter::matches(const SumRow& row) const {
  Row whole{row, {}};
  std::size_t at = 0;
  for (const SumKey& key : keys_) whole.keys.push_back(key.value(row.group, at));
  return root_->whole.matches(whole);
}

}  // namespace warpmeter::inline analysis
