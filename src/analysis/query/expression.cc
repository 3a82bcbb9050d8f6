#include "analysis/query/expression.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

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

FilterWords::FilterWords(std::string text) : text_(std::move(text)) { next(); }

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
    const std::string_view two = std::string_view(text_).substr(from_, 2);
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

}  // namespace warpmeter::inline analysis
