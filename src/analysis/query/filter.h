// Filters of Flow Records, and of their sums, as users write them in kFilterGrammar. FIELD is a name; what its values
// look like follows from its type (comparison.h).
//
// Immutable; any thread may ask.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/query/expression.h"
#include "analysis/query/sums.h"
#include "core/annotations.h"
#include "core/record_reader.h"

namespace warpmeter::inline analysis {

// The manual has it as well.
inline constexpr std::string_view kFilterGrammar =
    R"grammar(expression  = conjunction { ("or" | "||") conjunction }
conjunction = factor { ("and" | "&&") factor }
factor      = ("not" | "!") factor | "(" expression ")" | test
test        = FIELD [operator] (VALUE | FIELD)
            | FIELD ["not"] "in" "(" VALUE { "," VALUE } ")"
            | FIELD "has" FLAGS
            | VERSION | PROTOCOL | "unanswered" | "last" TIME
FIELD       = a column | end "port" | end
            | [end] ("host" | "ip" | "net" | "addr")
end         = "src" | "dst" | "src" "or" "dst"
operator    = "=" | "==" | "!=" | "<" | "<=" | ">" | ">="
            | "in" | "not in"
)grammar";

// What becomes of names that only columns of annotations can have: they are refused, or whoever knows the columns is
// told.
enum class OtherNames : std::uint8_t { refuse, doubt };

// A filter of Flow Records: FIELD is one of field.h. A biflow is tested by its forward direction, reverse_FIELD is that
// of the other.
class Filter {
 public:
  // Throws Error (usage), one line with the position, where `text` is no expression; `what` stands before it.
  explicit Filter(const std::string& text, std::string_view what = "filter", OtherNames others = OtherNames::refuse);

  // Names that must be those of columns of annotations, each with the message if there is none.
  const std::vector<Doubt>& doubts() const;

  bool matches(const Biflow& flow, const Annotations& noted = kNoAnnotations) const;

  // Does it ask for anything that flows of one direction do not have?
  bool is_of_biflows() const;

  bool asks_for(Field::Kind kind) const;
  // By "last TIME": other flows meet it as time goes by.
  bool counts_from_now() const;

  struct Node;

 private:
  std::shared_ptr<const Node> root_;
};

// A filter of sums: `show --sum KEYS --having EXPR`. FIELD is a key, as it was written ("src_addr/24") or, but for
// times, without what is behind the slash, or one of sum_columns(). A sum of a prefix is met by each address in it: of
// src_addr/24, "src_addr = 10.0.0.7" by 10.0.0.0/24.
class SumFilter {
 public:
  // Throws Error (usage), one line with the position, where `text` is no expression.
  SumFilter(const std::string& text, std::vector<SumKey> keys);

  bool matches(const SumRow& row) const;
  // That it asks for.
  std::vector<SumColumn> columns() const;

 private:
  struct Node;

  std::vector<SumKey> keys_;
  std::shared_ptr<const Node> root_;
};

}  // namespace warpmeter::inline analysis
