// A filter of Flow Records, as users write it in kFilterGrammar. FIELD is a name as in field.h; what its values look
// like follows from its type (comparison.h). A biflow is tested by its forward direction, reverse_FIELD is that of the
// other. Immutable; any thread may ask.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/record_reader.h"

namespace warpmeter::inline analysis {

// The manual has it as well.
inline constexpr std::string_view kFilterGrammar =
    R"grammar(expression  = conjunction { ("or" | "||") conjunction }
conjunction = factor { ("and" | "&&") factor }
factor      = ("not" | "!") factor | "(" expression ")" | test
test        = FIELD [operator] VALUE
            | FIELD "in" "(" VALUE { "," VALUE } ")"
            | FIELD "has" FLAGS
            | VERSION | PROTOCOL
operator    = "=" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "in"
)grammar";

class Filter {
 public:
  // Throws Error (usage), one line with the position, where `text` is no expression; `what` stands before it.
  explicit Filter(const std::string& text, std::string_view what = "filter");

  bool matches(const Biflow& flow) const;

  struct Node;

 private:
  std::shared_ptr<const Node> root_;
};

}  // namespace warpmeter::inline analysis
