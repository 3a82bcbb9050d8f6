// One test of a filter: a field against values. Where the field does not apply, the test is not met, whatever it asks.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "query/field.h"
#include "query/literal.h"

namespace warpmeter {

enum class Operator : std::uint8_t { equal, not_equal, less, less_or_equal, greater, greater_or_equal, in, has };

class Comparison {
 public:
  // REQUIRES: takes(field, op).
  Comparison(Field field, Operator op) : field_(field), op_(op), type_(field.type()) {}

  // Which operators a field can be asked with.
  static bool takes(Field field, Operator op);

  // Nothing wrong: "". Otherwise what such a field's values look like, for a message. `in` takes several values.
  std::string_view add_value(std::string_view text);

  bool matches(const Biflow& flow) const;

 private:
  struct Value {
    std::int64_t whole = 0;
    double share = 0;
    Prefix prefix;
  };
  template <class T>
  bool compare(T have, T Value::*wanted) const;
  bool address_matches(const FlowKey& key) const;

  Field field_;
  Operator op_;
  FieldType type_;
  std::vector<Value> values_;
};

}  // namespace warpmeter
