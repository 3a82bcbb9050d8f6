// The words and signs of a filter expression, one after the other.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warpmeter::inline analysis {

class FilterWords {
 public:
  explicit FilterWords(std::string text);

  // The current word or sign; "" at the end. Keywords (and, or, not, in, has) are in lower case.
  std::string_view now() const { return now_; }
  std::size_t place() const { return from_ + 1; }  // in characters, from 1
  bool at_end() const { return now_.empty(); }
  bool is_name() const { return is_name_; }  // or a value: no sign
  bool is_keyword() const;

  void next();
  bool take(std::string_view word);  // next(), if it is that

 private:
  const std::string text_;
  std::size_t from_ = 0, until_ = 0;
  std::string now_;
  bool is_name_ = false;
};

}  // namespace warpmeter::inline analysis
