// Text to parts, and parts over a text.
#include "pattern_oracle.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string_view>

namespace reference {
namespace {

constexpr size_t no_end = std::numeric_limits<size_t>::max();

}  // namespace

class PatternOracle::Parser {
 public:
  explicit Parser(std::string_view text) : left_(text) {}

  std::vector<Sequence> choices() {
    std::vector<Sequence> all(1);
    while (!left_.empty() && left_.front() != ')') {
      if (left_.front() == '|') {
        next();
        all.emplace_back();
      } else {
        all.back().push_back(part());
      }
    }
    return all;
  }
  void must_be_done() const {
    if (!left_.empty()) throw std::invalid_argument("pattern: " + std::string(left_));
  }

 private:
  char next() {
    if (left_.empty()) throw std::invalid_argument("pattern ends early");
    const char c = left_.front();
    left_.remove_prefix(1);
    return c;
  }
  bool skip(char wanted) {
    if (left_.empty() || left_.front() != wanted) return false;
    next();
    return true;
  }

  Part part() {
    Part made;
    switch (const char c = next(); c) {
      case '^': made.kind = Kind::start; break;
      case '$': made.kind = Kind::end; break;
      case '(':
        made.kind = Kind::group;
        made.choices = choices();
        if (!skip(')')) throw std::invalid_argument("pattern: a group without its end");
        break;
      case '.': made.bytes.set(); break;
      case '[': made.bytes = bracket(); break;
      case '\\': made.bytes = escape(); break;
      default: made.bytes.set(static_cast<uint8_t>(c));
    }
    repeat(made);
    return made;
  }

  std::bitset<256> escape() {
    std::bitset<256> bytes;
    switch (const char c = next(); c) {
      case 'd':
        for (char digit = '0'; digit <= '9'; ++digit) bytes.set(static_cast<uint8_t>(digit));
        break;
      case 'r': bytes.set('\r'); break;
      case 'n': bytes.set('\n'); break;
      case 't': bytes.set('\t'); break;
      case 'x': bytes.set(std::stoul(std::string{next(), next()}, nullptr, 16)); break;
      default: bytes.set(static_cast<uint8_t>(c));
    }
    return bytes;
  }

  std::bitset<256> bracket() {
    const bool others = skip('^');
    std::bitset<256> bytes;
    while (!skip(']')) {
      const std::bitset<256> low = in_bracket();
      bytes |= low;
      if (left_.size() < 2 || left_[0] != '-' || left_[1] == ']') continue;
      next();
      const std::bitset<256> high = in_bracket();
      for (size_t byte = low._Find_first(); byte <= high._Find_first(); ++byte) bytes.set(byte);
    }
    return others ? ~bytes : bytes;
  }
  std::bitset<256> in_bracket() {
    const char c = next();
    if (c == '\\') return escape();
    std::bitset<256> bytes;
    bytes.set(static_cast<uint8_t>(c));
    return bytes;
  }

  void repeat(Part& of) {
    if (skip('?')) of.least = 0;
    else if (skip('*')) of.least = 0, of.most = no_end;
    else if (skip('+')) of.most = no_end;
    else if (skip('{')) {
      of.least = of.most = number();
      if (skip(',')) of.most = left_.starts_with('}') ? no_end : number();
      if (!skip('}')) throw std::invalid_argument("pattern: a count without its end");
    }
  }
  size_t number() {
    std::string digits;
    while (!left_.empty() && left_.front() >= '0' && left_.front() <= '9') digits += next();
    return std::stoul(digits);
  }

  std::string_view left_;
};

PatternOracle::PatternOracle(const std::string& text) {
  Parser parser(text);
  choices_ = parser.choices();
  parser.must_be_done();
}

size_t PatternOracle::longest(const std::vector<Sequence>& choices) {
  size_t most = 0;
  for (const Sequence& sequence : choices) {
    size_t sum = 0;
    for (const Part& part : sequence) {
      const size_t one = part.kind == Kind::bytes ? 1 : part.kind == Kind::group ? longest(part.choices) : 0;
      if (one == 0) continue;
      if (one == no_end || part.most == no_end) return no_end;
      sum += one * part.most;
    }
    most = std::max(most, sum);
  }
  return most;
}

PatternOracle::Places PatternOracle::once(const Part& part, const Places& from, const Text& text) {
  const size_t end = text.bytes.size();
  Places to(from.size());
  switch (part.kind) {
    case Kind::bytes:
      for (size_t i = 0; i < end; ++i) to[i + 1] = from[i] && part.bytes[text.bytes[i]];
      break;
    case Kind::group: return walk(part.choices, from, text);
    case Kind::start: to[0] = from[0] && text.whole; break;
    case Kind::end:  // or before a last line feed
      to[end] = from[end];
      if (end > 0 && text.bytes[end - 1] == '\n') to[end - 1] = from[end - 1];
      break;
  }
  return to;
}

PatternOracle::Places PatternOracle::walk(const Part& part, const Places& from, const Text& text) {
  Places at = from;
  for (size_t i = 0; i < part.least; ++i) at = once(part, at, text);
  Places all = at;
  if (part.kind == Kind::bytes && part.bytes.all() && part.most > text.bytes.size()) {  // every place from the first on
    std::fill(std::find(all.begin(), all.end(), true), all.end(), true);
    return all;
  }
  for (size_t i = part.least; i < part.most && std::find(at.begin(), at.end(), true) != at.end(); ++i) {
    at = once(part, at, text);
    for (size_t place = 0; place < at.size(); ++place) {
      if (at[place] && all[place]) at[place] = false;  // what comes from there has been gone already
      else if (at[place]) all[place] = true;
    }
  }
  return all;
}

PatternOracle::Places PatternOracle::walk(const std::vector<Sequence>& choices, const Places& from, const Text& text) {
  Places all(from.size());
  for (const Sequence& sequence : choices) {
    Places at = from;
    for (const Part& part : sequence) at = walk(part, at, text);
    for (size_t place = 0; place < at.size(); ++place) all[place] = all[place] || at[place];
  }
  return all;
}

bool PatternOracle::ends_within(std::span<const uint8_t> text, size_t from, bool whole) const {
  const size_t most = longest(choices_);
  const size_t before = most >= from ? 0 : from - most;  // no match from before that ends there
  const Text seen{text.subspan(before), whole && before == 0};
  const Places ends = walk(choices_, Places(seen.bytes.size() + 1, true), seen);
  return std::find(ends.begin() + static_cast<std::ptrdiff_t>(from - before) + 1, ends.end(), true) != ends.end();
}

}  // namespace reference
