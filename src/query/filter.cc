#include "query/filter.h"

#include <optional>
#include <string_view>

#include "query/expression.h"
#include "query/names.h"

namespace warpmeter {
namespace {

struct FlowVocabulary {
  using Test = Comparison;
  using Name = Field;
  std::string_view what;

  // "tcp", "ip6"
  std::optional<Comparison> shorthand(std::string_view word) const {
    std::string_view value = word;
    Field field{Field::Kind::version};
    if (word == "ip" || word == "ip4") value = "4";
    else if (word == "ip6") value = "6";
    else if (protocol_number(word)) field.kind = Field::Kind::protocol;
    else return std::nullopt;
    Comparison comparison(field, Operator::equal);
    comparison.add_value(value);
    return comparison;
  }
  std::optional<Field> find(std::string_view word) const { return Field::of(word); }
  std::string unknown(std::string_view word) const { return no_such_field(word); }
  FieldType type(Field field) const { return field.type(); }
  Comparison test(Field field, Operator op) const { return {field, op}; }
};

}  // namespace

struct Filter::Node {
  Expression<Comparison> whole;
};

Filter::Filter(const std::string& text, std::string_view what)
    : root_(std::make_shared<Node>(ExpressionParser(text, FlowVocabulary{what}).whole())) {}

bool Filter::matches(const Biflow& flow) const { return root_->whole.matches(flow); }

}  // namespace warpmeter
