#include "analysis/query/expression.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

#include "analysis/query/literal.h"

namespace warpmeter::inline analysis {
namespace {

// Of names, numbers, addresses, prefixes and times.
bool belongs_to_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || std::string_view("_.:/%+-").find(c) != std::string_view::npos;
}

// Of what begins there with a quote and has its other one.
std::size_t end_of_quoted(std::string_view text, std::size_t from) {
  if (from == text.size() || (text[from] != '"' && text[from] != '\'')) return std::string_view::npos;
  return text.find(text[from], from + 1);
}

bool is_one_of_keywords(std::string_view word) {
  constexpr std::string_view kKeywords[] = {"and", "or", "not", "in", "has"};
  return std::find(std::begin(kKeywords), std::end(kKeywords), word) != std::end(kKeywords);
}

}  // namespace

FilterWords::FilterWords(std::string_view text) : text_(text) { next(); }

std::size_t FilterWords::place() const {
  const auto begins_character = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
  return 1 + static_cast<std::size_t>(std::ranges::count_if(text_.substr(0, from_), begins_character));
}

void FilterWords::next() {
  from_ = until_;
  while (from_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[from_]))) ++from_;
  until_ = from_;
  while (until_ < text_.size() && belongs_to_name(text_[until_])) ++until_;
  is_name_ = until_ > from_;
  is_quoted_ = false;
  if (const std::size_t quote = end_of_quoted(text_, from_); quote != std::string::npos) {
    until_ = quote + 1;
    now_ = text_.substr(from_ + 1, quote - from_ - 1);
    is_name_ = is_quoted_ = true;
    return;
  }
  if (!is_name_ && from_ < text_.size()) {
    const std::string_view two = text_.substr(from_, 2);
    const bool both = two == "==" || two == "!=" || two == "<=" || two == ">=" || two == "&&" || two == "||";
    until_ = from_ + (both ? 2 : 1);
  }
  now_ = text_.substr(from_, until_ - from_);
  std::string lower = now_;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  if (is_one_of_keywords(lower)) now_ = lower;
}

bool FilterWords::is_keyword() const { return !is_quoted_ && is_one_of_keywords(now_); }

bool FilterWords::take(std::string_view word) {
  if (now_ != word || is_quoted_) return false;
  next();
  return true;
}

std::optional<Operator> FilterWords::take_operator() {
  if (is_quoted_) return std::nullopt;
  FilterWords behind = *this;
  const bool negated = behind.take("not");
  if (negated && (behind.is_quoted_ || behind.now_ != "in")) return std::nullopt;
  const std::optional<Operator> op = negated ? Operator::not_in : operator_of(now_);
  if (!op) return std::nullopt;
  behind.next();
  *this = behind;
  return op;
}

bool FilterWords::are_before_address() const {
  FilterWords ahead = *this;
  ahead.take_operator();
  ahead.take("(");
  return !ahead.is_quoted_ && prefix_literal(ahead.now_);
}

std::optional<std::string_view> FilterWords::take_phrase(bool must_be) {
  FilterWords behind = *this;
  const bool source = behind.take("src"), destination = !source && behind.take("dst");
  const bool has_end = source || destination;
  bool either = !has_end;
  if (FilterWords other = behind; has_end && other.take("or") && other.take(source ? "dst" : "src")) {
    behind = other;
    either = true;
  }
  const bool port = has_end && behind.take("port");
  const bool address =
      !port && (behind.take("host") || behind.take("ip") || (has_end && (behind.take("net") || behind.take("addr"))));
  if (!has_end && !address) return std::nullopt;
  // Of one word that may be another column, or a version.
  const bool is_clear = has_end && (port || address);
  if (!is_clear && !must_be && !behind.are_before_address()) return std::nullopt;
  *this = behind;
  if (port) return either ? "port" : source ? "src_port" : "dst_port";
  return either ? "addr" : source ? "src_addr" : "dst_addr";
}

}  // namespace warpmeter::inline analysis
