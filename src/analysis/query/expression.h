// The words and the grammar of filters (filter.h), whatever their tests are of: flows, or sums of flows.
//
// A vocabulary knows the words. It has
//   Test                       copyable; add_value(text): "" or what a value looks like; matches(subject)
//   Name                       copyable
//   what                       stands before messages: "filter"
//   shorthand(word)            a Test that is one word ("tcp"), nothing for other words
//   find(word)                 the Name, or nothing
//   unknown(word)              the message where find() gave nothing
//   type(name), test(name, operator)
//   is_sure(name)                      or may it be one only for those who know more, who hear of it as a Doubt?
//   is_of_either_end(name)             then it has no single value that another column could be compared with
//   near(word, type)                   names of columns of that type that `word` may mean, after a typing error
//
// A Test takes a column in place of a value, too: compare_with(Name), once.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/query/comparison.h"
#include "analysis/query/literal.h"
#include "base/words/printable.h"
#include "warpmeter/status.h"

namespace warpmeter::inline analysis {

// The words and signs of a filter expression, one after the other; a copy of it looks ahead. `text` must outlive it.
class FilterWords {
 public:
  explicit FilterWords(std::string_view text);

  // The current word or sign; "" at the end. Keywords (and, or, not, in, has) are in lower case.
  std::string_view now() const { return now_; }
  std::size_t place() const;  // in characters, from 1
  bool at_end() const { return now_.empty() && !is_quoted_; }
  bool is_name() const { return is_name_; }  // or a value: no sign
  bool is_keyword() const;
  bool is_quoted() const { return is_quoted_; }  // a name or value of any characters; now() has no quotes

  void next();
  bool take(std::string_view word);  // next(), if it is that
  std::optional<Operator> take_operator();
  // The column that words of tcpdump and nfdump mean, if there are such: "src net", "dst port", "src or dst host", and,
  // where an address follows or it `must_be` one, "host", "ip", "src" and "dst" alone.
  std::optional<std::string_view> take_phrase(bool must_be);

 private:
  bool are_before_address() const;

  std::string_view text_;
  std::size_t from_ = 0, until_ = 0;
  std::string now_;
  bool is_name_ = false, is_quoted_ = false;
};

// A name that may be none, and the message for that case.
struct Doubt {
  std::string name, message;
};

template <class Test>
struct Expression {
  enum class Kind { test, negation, all_of, any_of };
  Kind kind = Kind::test;
  std::vector<Expression> parts;
  std::optional<Test> test;

  // Does the question hold for any of its tests?
  template <class Question>
  bool has(const Question& question) const {
    return (test && question(*test)) ||
           std::ranges::any_of(parts, [&](const Expression& part) { return part.has(question); });
  }

  template <class Subject>
  bool matches(const Subject& subject) const {
    const auto met = [&](const Expression& part) { return part.matches(subject); };
    switch (kind) {
      case Kind::negation: return !met(parts.front());
      case Kind::all_of: return std::all_of(parts.begin(), parts.end(), met);
      case Kind::any_of: return std::any_of(parts.begin(), parts.end(), met);
      case Kind::test: break;
    }
    return test->matches(subject);
  }
};

template <class Vocabulary>
class ExpressionParser {
 public:
  using Test = typename Vocabulary::Test;
  using Node = Expression<Test>;

  // `vocabulary` must outlive it.
  ExpressionParser(const std::string& text, const Vocabulary& vocabulary)
      : text_(text), words_(text_), vocabulary_(vocabulary) {}

  // Throws Error (usage), one line with the position, where the text is no expression.
  Node whole() {
    Node root = expression();
    if (!words_.at_end()) fail(fmt::format("'{}' where and, or or the end was expected", now()));
    return root;
  }
  // Of the names in it.
  const std::vector<Doubt>& doubts() const { return doubts_; }
  bool counts_from_now() const { return counts_from_now_; }

 private:
  static constexpr int kDeepest = 200;

  std::string message(const std::string& why, std::size_t place) const {
    return fmt::format("{} '{}': at character {}: {}", vocabulary_.what, shortened(text_), place, why);
  }
  [[noreturn]] void fail(const std::string& why) const { fail_at(words_, why); }
  // What comes behind a doubtful name makes no sense: the name is what is wrong.
  [[noreturn]] void fail_at(const FilterWords& words, const std::string& why) const {
    throw Error(doubt_.empty() ? message(why, words.place()) : doubt_, ExitStatus::usage);
  }

  std::string now() const { return shortened(words_.now()); }

  Node expression() { return joined(Node::Kind::any_of, "or", "||", &ExpressionParser::conjunction); }
  Node conjunction() { return joined(Node::Kind::all_of, "and", "&&", &ExpressionParser::factor); }

  Node joined(typename Node::Kind kind, std::string_view word, std::string_view sign,
              Node (ExpressionParser::*part)()) {
    Node first = (this->*part)();
    if (words_.is_quoted() || (words_.now() != word && words_.now() != sign)) return first;
    Node node{kind, {}, {}};
    node.parts.push_back(std::move(first));
    while (words_.take(word) || words_.take(sign)) node.parts.push_back((this->*part)());
    return node;
  }

  Node factor() {
    if (++depth_ > kDeepest) fail("nested too deeply");
    Node node;
    if (words_.take("not") || words_.take("!")) {
      node.kind = Node::Kind::negation;
      node.parts.push_back(factor());
    } else if (words_.take("(")) {
      node = expression();
      if (!words_.take(")")) fail(words_.at_end() ? "')' is missing" : "')' was expected");
    } else {
      node.test = test();
    }
    --depth_;
    return node;
  }

  Test test() {
    if (words_.at_end()) fail("a test such as 'packets > 10' is missing");
    if (auto last = last_of_time()) return *last;
    const FilterWords begin = words_;
    if (const auto column = words_.take_phrase(false)) return test_of(*column, begin);
    if (auto shorthand = vocabulary_.shorthand(words_.now())) {
      words_.next();
      return *shorthand;
    }
    if (!vocabulary_.find(words_.now())) {
      if (const auto column = words_.take_phrase(true)) return test_of(*column, begin);
      if (!words_.is_name() || words_.is_keyword()) {
        fail(fmt::format("'{}' where a column's name was expected", now()));
      }
      fail(vocabulary_.unknown(words_.now()));
    }
    words_.next();
    return test_of(begin.now(), begin);
  }

  // "last 1h": of what ended since then, by the clock of this machine.
  std::optional<Test> last_of_time() {
    constexpr std::int64_t kNsPerSecond = 1'000'000'000;
    FilterWords behind = words_;
    if (!behind.take("last") || FilterWords(behind).take_operator()) return std::nullopt;  // perhaps a column
    words_ = behind;
    if (words_.at_end()) fail("a time such as 1h is missing behind last");
    const std::optional<std::int64_t> span = span_literal(words_.now(), kNsPerSecond);
    if (!span || *span < 0) fail(fmt::format("'{}' is not a time such as 10m or 1h", now()));
    words_.next();
    using namespace std::chrono;
    const auto now = duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
    Test test = vocabulary_.test(*vocabulary_.find("end_ns"), Operator::greater_or_equal);
    test.add_value(std::to_string(now - *span));
    counts_from_now_ = true;
    return test;
  }

  // words_ stand behind the name, `begin` where it was written.
  Test test_of(std::string_view column, const FilterWords& begin) {
    const std::string name(column);
    const auto found = vocabulary_.find(name);
    if (!found) fail_at(begin, vocabulary_.unknown(name));
    if (!vocabulary_.is_sure(*found)) doubt_ = message(vocabulary_.unknown(name), begin.place());
    const FilterWords sign = words_;
    const std::optional<Operator> written = words_.take_operator();
    const Operator op = written.value_or(Operator::equal);
    if (!Wanted::takes(vocabulary_.type(*found), op)) {
      const std::string why = wrong_operator(vocabulary_.type(*found), name);
      if (!doubt_.empty()) doubt_ += "; where files have such a column, " + why;
      fail_at(sign, why);
    }
    Test test = vocabulary_.test(*found, op);
    if ((op == Operator::in || op == Operator::not_in) && words_.take("(")) {
      do {
        value(test, name);
      } while (words_.take(","));
      if (!words_.take(")")) fail("')' was expected behind the values");
    } else if (!take_other_column(test, *found, op, name)) {
      value(test, name);
    }
    if (!doubt_.empty()) doubts_.push_back({name, std::exchange(doubt_, {})});
    return test;
  }

  static std::string wrong_operator(FieldType type, const std::string& name) {
    if (type == FieldType::endpoint) return name + " is to be shown only; its parts have columns of their own";
    if (type == FieldType::address) return "addresses are compared with =, !=, in and not in";
    if (type == FieldType::text || type == FieldType::texts)
      return name + " is a text, compared with =, !=, in and not in";
    return "'has' is for TCP flags";
  }

  void value(Test& test, const std::string& name) {
    if (words_.at_end()) fail("a value for " + name + " is missing");
    if (!words_.is_name()) fail(fmt::format("'{}' where a value for {} was expected", now(), name));
    const std::string_view form = test.add_value(words_.now());
    if (!form.empty()) {
      const std::vector<std::string> near = vocabulary_.near(words_.now(), test.type());
      const std::string columns = near.empty() ? "" : fmt::format(", nor a column (near: {})", fmt::join(near, ", "));
      fail(fmt::format("'{}' is not {}{}", now(), form, columns));
    }
    words_.next();
  }

  // "packets > data_segments". What can be a value is one, and texts are always values.
  bool take_other_column(Test& test, const typename Vocabulary::Name& left, Operator op, const std::string& name) {
    if (words_.at_end() || words_.is_quoted() || Test(test).add_value(words_.now()).empty()) return false;
    FilterWords behind = words_;
    const auto phrase = behind.take_phrase(false);
    const auto right = vocabulary_.find(phrase ? *phrase : words_.now());
    if (!right || !vocabulary_.is_sure(*right)) return false;
    if (vocabulary_.type(*right) != vocabulary_.type(left)) {
      fail(fmt::format("'{}' is a column of another kind than {}", now(), name));
    }
    if (vocabulary_.is_of_either_end(left) || vocabulary_.is_of_either_end(*right)) {
      fail("a column of either end is compared with values alone");
    }
    if (op == Operator::in || op == Operator::not_in || op == Operator::has) {
      fail("columns are compared with =, !=, <, <=, > and >=");
    }
    test.compare_with(*right);
    if (!phrase) behind.next();
    words_ = behind;
    return true;
  }

  const std::string text_;
  FilterWords words_;
  const Vocabulary& vocabulary_;
  int depth_ = 0;
  std::string doubt_;  // of the test that is being read
  std::vector<Doubt> doubts_;
  bool counts_from_now_ = false;
};

}  // namespace warpmeter::inline analysis
