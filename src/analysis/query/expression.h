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
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/query/comparison.h"
#include "base/words/printable.h"
#include "warpmeter/status.h"

namespace warpmeter::inline analysis {

// The words and signs of a filter expression, one after the other.
class FilterWords {
 public:
  explicit FilterWords(std::string text);

  // The current word or sign; "" at the end. Keywords (and, or, not, in, has) are in lower case.
  std::string_view now() const { return now_; }
  std::size_t place() const { return from_ + 1; }  // in characters, from 1
  bool at_end() const { return now_.empty() && !is_quoted_; }
  bool is_name() const { return is_name_; }  // or a value: no sign
  bool is_keyword() const;
  bool is_quoted() const { return is_quoted_; }  // a name or value of any characters; now() has no quotes

  void next();
  bool take(std::string_view word);  // next(), if it is that

 private:
  const std::string text_;
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
      : text_(text), words_(text), vocabulary_(vocabulary) {}

  // Throws Error (usage), one line with the position, where the text is no expression.
  Node whole() {
    Node root = expression();
    if (!words_.at_end()) fail(fmt::format("'{}' where and, or or the end was expected", now()));
    return root;
  }
  // Of the names in it.
  const std::vector<Doubt>& doubts() const { return doubts_; }

 private:
  static constexpr int kDeepest = 200;

  std::string message(const std::string& why) const {
    return fmt::format("{} '{}': at character {}: {}", vocabulary_.what, shortened(text_), words_.place(), why);
  }
  // What comes behind a doubtful name makes no sense: the name is what is wrong.
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(doubt_.empty() ? message(why) : doubt_, ExitStatus::usage);
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
    if (auto shorthand = vocabulary_.shorthand(words_.now())) {
      words_.next();
      return *shorthand;
    }
    const auto found = vocabulary_.find(words_.now());
    if (!found) {
      if (!words_.is_name() || words_.is_keyword()) {
        fail(fmt::format("'{}' where a column's name was expected", now()));
      }
      fail(vocabulary_.unknown(words_.now()));
    }
    const std::string name(words_.now());
    if (!vocabulary_.is_sure(*found)) doubt_ = message(vocabulary_.unknown(name));
    words_.next();
    const std::optional<Operator> written = words_.is_quoted() ? std::nullopt : operator_of(words_.now());
    const Operator op = written.value_or(Operator::equal);
    if (!Wanted::takes(vocabulary_.type(*found), op)) {
      const std::string why = wrong_operator(vocabulary_.type(*found), name);
      if (!doubt_.empty()) doubt_ += "; where files have such a column, " + why;
      fail(why);
    }
    if (written) words_.next();
    Test test = vocabulary_.test(*found, op);
    if (op == Operator::in && words_.take("(")) {
      do {
        value(test, name);
      } while (words_.take(","));
      if (!words_.take(")")) fail("')' was expected behind the values");
    } else {
      value(test, name);
    }
    if (!doubt_.empty()) doubts_.push_back({name, std::exchange(doubt_, {})});
    return test;
  }

  static std::string wrong_operator(FieldType type, const std::string& name) {
    if (type == FieldType::endpoint) return name + " is to be shown only; its parts have columns of their own";
    if (type == FieldType::address) return "addresses are compared with =, != and in";
    if (type == FieldType::text || type == FieldType::texts) return name + " is a text, compared with =, != and in";
    return "'has' is for TCP flags";
  }

  void value(Test& test, const std::string& name) {
    if (words_.at_end()) fail("a value for " + name + " is missing");
    if (!words_.is_name()) fail(fmt::format("'{}' where a value for {} was expected", now(), name));
    const std::string_view form = test.add_value(words_.now());
    if (!form.empty()) fail(fmt::format("'{}' is not {}", now(), form));
    words_.next();
  }

  const std::string text_;
  FilterWords words_;
  const Vocabulary& vocabulary_;
  int depth_ = 0;
  std::string doubt_;  // of the test that is being read
  std::vector<Doubt> doubts_;
};

}  // namespace warpmeter::inline analysis
