// One test of a filter: a field against values. Where the field does not apply, the test is not met, whatever it asks.
// Of a list, "=" and "in" ask for any of it, "!=" and "not in" for none.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/query/field.h"
#include "analysis/query/literal.h"

namespace warpmeter::inline analysis {

enum class Operator : std::uint8_t {
  equal,
  not_equal,
  less,
  less_or_equal,
  greater,
  greater_or_equal,
  in,
  not_in,
  has
};

// Of "=", "<", "in" and so on; nothing for other words.
std::optional<Operator> operator_of(std::string_view word);
// The words of those that a type can be asked with, without "==".
std::vector<std::string_view> operator_words(FieldType type);

// Of two columns. False for `in`, `not in` and `has`, which are for values, and for what has no order.
bool holds(Operator op, std::partial_ordering order);

// What a test asks of a value of this type, whoever has it.
class Wanted {
 public:
  // REQUIRES: takes(type, op). A span of time without a unit is `plain_ns` nanoseconds each. `names_ns`: the user named
  // the unit, so that plain numbers are moments in it, whichever.
  Wanted(FieldType type, Operator op, std::int64_t plain_ns = 1, bool names_ns = false)
      : type_(type), op_(op), plain_ns_(plain_ns), names_ns_(names_ns) {}

  // Which operators a type can be asked with.
  static bool takes(FieldType type, Operator op);

  // Nothing wrong: "". Otherwise what such values look like and how large they may be, for a message. `in` takes
  // several values.
  std::string_view add_value(std::string_view text);

  // REQUIRES, of all: at least one value, of this type.
  bool met_by_whole(std::int64_t have) const;
  bool met_by_share(double have) const;
  bool met_by_text(std::string_view have) const;  // of one of a list: whether that is asked for, asks_for_others() says
  // Is it in one of the prefixes? Whether that is asked for, or the opposite, asks_for_others() says.
  bool covers(std::uint8_t version, const std::uint8_t (&address)[16]) const;
  // The same of all addresses that begin with these `bits`: would one of them be?
  bool covers_some(std::uint8_t version, const std::uint8_t (&address)[16], int bits) const;
  bool asks_for_others() const { return op_ == Operator::not_equal || op_ == Operator::not_in; }
  FieldType type() const { return type_; }
  Operator op() const { return op_; }

 private:
  struct Value {
    std::int64_t whole = 0;
    double share = 0;
    Prefix prefix;
    std::string text;
  };
  template <class T>
  bool compare(T have, T Value::*wanted) const;
  void add_text(std::string_view text);

  FieldType type_;
  Operator op_;
  std::int64_t plain_ns_;
  bool names_ns_;
  std::vector<Value> values_;
};

struct NotedFlow {
  const Biflow& flow;
  const Annotations& noted;
};

class Comparison {
 public:
  // REQUIRES: Wanted::takes(field.type(), op). As of Wanted.
  Comparison(Field field, Operator op, std::int64_t plain_ns = 1, bool names_ns = false);

  std::string_view add_value(std::string_view text) { return wanted_.add_value(text); }
  // In place of a value. REQUIRES: of the same type, no text, and neither of either end.
  void compare_with(Field other) { other_ = other; }

  bool matches(const NotedFlow& subject) const;
  FieldType type() const { return wanted_.type(); }
  Field field() const { return field_; }
  const std::optional<Field>& other() const { return other_; }

 private:
  bool columns_match(const NotedFlow& subject) const;
  bool address_matches(const FlowKey& key) const;
  bool either_matches(const Annotations& noted) const;
  bool annotation_matches(const Annotations& noted) const;

  Field field_;
  std::optional<Field> other_;
  Wanted wanted_;
};

}  // namespace warpmeter::inline analysis
