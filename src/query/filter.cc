#include "query/filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "query/comparison.h"
#include "query/filter_words.h"
#include "query/names.h"
#include "warpmeter/status.h"

namespace warpmeter {

struct Filter::Node {
  enum class Kind { test, negation, all_of, any_of };
  Kind kind = Kind::test;
  std::vector<Node> parts;
  std::optional<Comparison> test;

  bool matches(const Biflow& flow) const {
    const auto met = [&](const Node& part) { return part.matches(flow); };
    switch (kind) {
      case Kind::negation: return !met(parts.front());
      case Kind::all_of: return std::all_of(parts.begin(), parts.end(), met);
      case Kind::any_of: return std::any_of(parts.begin(), parts.end(), met);
      case Kind::test: break;
    }
    return test->matches(flow);
  }
};

namespace {

using Node = Filter::Node;

constexpr int kDeepest = 200;

constexpr std::pair<std::string_view, Operator> kOperators[] = {
    {"=", Operator::equal}, {"==", Operator::equal},         {"!=", Operator::not_equal},
    {"<", Operator::less},  {"<=", Operator::less_or_equal}, {">", Operator::greater},
    {"in", Operator::in},   {"has", Operator::has},          {">=", Operator::greater_or_equal}};

std::optional<Operator> operator_of(std::string_view word) {
  for (const auto& [text, op] : kOperators) {
    if (text == word) return op;
  }
  return std::nullopt;
}

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text), words_(text) {}

  Node whole() {
    Node root = expression();
    if (!words_.at_end()) fail(fmt::format("'{}' where and, or or the end was expected", words_.now()));
    return root;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(fmt::format("filter '{}': at character {}: {}", text_, words_.place(), why), ExitStatus::usage);
  }

  Node expression() { return joined(Node::Kind::any_of, "or", "||", &Parser::conjunction); }
  Node conjunction() { return joined(Node::Kind::all_of, "and", "&&", &Parser::factor); }

  Node joined(Node::Kind kind, std::string_view word, std::string_view sign, Node (Parser::*part)()) {
    Node first = (this->*part)();
    if (words_.now() != word && words_.now() != sign) return first;
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

  Comparison test() {
    if (words_.at_end()) fail("a test such as 'packets > 10' is missing");
    if (const auto shorthand = bare_word()) return *shorthand;
    const std::optional<Field> field = Field::of(words_.now());
    if (!field) {
      if (!words_.is_name() || words_.is_keyword()) {
        fail(fmt::format("'{}' where a column's name was expected", words_.now()));
      }
      fail(no_such_field(words_.now()));
    }
    const std::string name(words_.now());
    words_.next();
    const std::optional<Operator> written = operator_of(words_.now());
    const Operator op = written.value_or(Operator::equal);
    if (!Comparison::takes(*field, op)) fail(wrong_operator(*field, name));
    if (written) words_.next();
    Comparison comparison(*field, op);
    if (op == Operator::in && words_.take("(")) {
      do {
        value(comparison, name);
      } while (words_.take(","));
      if (!words_.take(")")) fail("')' was expected behind the values");
    } else {
      value(comparison, name);
    }
    return comparison;
  }

  static std::string wrong_operator(Field field, const std::string& name) {
    if (field.to_show_only()) return name + " is to be shown only; its parts have columns of their own";
    if (field.type() == FieldType::address) return "addresses are compared with =, != and in";
    return "'has' is for TCP flags";
  }

  // "tcp", "ip6"
  std::optional<Comparison> bare_word() {
    std::string_view value;
    Field field{Field::Kind::version};
    if (words_.now() == "ip" || words_.now() == "ip4") value = "4";
    else if (words_.now() == "ip6") value = "6";
    else if (protocol_number(words_.now())) {
      field.kind = Field::Kind::protocol;
      value = words_.now();
    } else {
      return std::nullopt;
    }
    Comparison comparison(field, Operator::equal);
    comparison.add_value(value);
    words_.next();
    return comparison;
  }

  void value(Comparison& comparison, const std::string& name) {
    if (words_.at_end()) fail("a value for " + name + " is missing");
    if (!words_.is_name()) fail(fmt::format("'{}' where a value for {} was expected", words_.now(), name));
    const std::string_view form = comparison.add_value(words_.now());
    if (!form.empty()) fail(fmt::format("'{}' is not {}", words_.now(), form));
    words_.next();
  }

  const std::string text_;
  FilterWords words_;
  int depth_ = 0;
};

}  // namespace

Filter::Filter(const std::string& text) : root_(std::make_shared<Node>(Parser(text).whole())) {}

bool Filter::matches(const Biflow& flow) const { return root_->matches(flow); }

}  // namespace warpmeter
