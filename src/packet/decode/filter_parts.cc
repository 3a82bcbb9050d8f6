// The words of a capture filter, apart from packet_filter.cc: this part needs no libpcap, and so is there, and tested,
// in builds without it.

#include "packet/decode/packet_filter.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace warpmeter::inline packet {
namespace {

struct Word {
  std::string_view text;
  std::size_t at;  // in the expression
  int depth;       // of the brackets around it
};

constexpr std::string_view kAnd[] = {"and", "&&"};
constexpr std::string_view kOr[] = {"or", "||"};
// Begin an alternative, whatever was before, ...
constexpr std::string_view kBegin[] = {"host",  "net", "port", "portrange", "src", "dst",
                                       "ether", "ip",  "ip6",  "tcp",       "udp"};
// ... except behind these: `src or dst host a`.
constexpr std::string_view kBeforeOr[] = {"src", "dst"};
constexpr std::string_view kChangePlaces[] = {"vlan", "mpls", "pppoed", "pppoes", "geneve", "vxlan"};

template <std::size_t kCount>
bool is_one_of(std::string_view text, const std::string_view (&words)[kCount]) {
  return std::find(std::begin(words), std::end(words), text) != std::end(words);
}

constexpr std::string_view kSpace = " \t\r\n";
constexpr std::string_view kSigns = "()[]!&|<>=+*%^";

std::vector<Word> words_of(std::string_view expression) {
  std::vector<Word> words;
  int depth = 0;
  for (std::size_t at = 0; at < expression.size();) {
    if (kSpace.find(expression[at]) != kSpace.npos) {
      ++at;
      continue;
    }
    std::size_t size = 1;
    if (const char sign = expression[at]; kSigns.find(sign) != kSigns.npos) {
      if ((sign == '&' || sign == '|') && expression.substr(at + 1, 1) == expression.substr(at, 1)) size = 2;
    } else {
      while (at + size < expression.size() &&
             (kSpace.find(expression[at + size]) & kSigns.find(expression[at + size])) == kSpace.npos) {
        ++size;
      }
    }
    const std::string_view text = expression.substr(at, size);
    depth += (text == "(" || text == "[") - (text == ")" || text == "]");
    words.push_back({text, at, depth});
    at += size;
  }
  return words;
}

// Where an alternative of the whole begins; none where it cannot be taken apart.
std::vector<std::size_t> beginnings(const std::vector<Word>& words) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Word& word = words[i];
    if (is_one_of(word.text, kChangePlaces) || (word.depth == 0 && is_one_of(word.text, kAnd))) return {};
    if (word.depth != 0 || !is_one_of(word.text, kOr) || i == 0 || i + 1 == words.size()) continue;
    if (is_one_of(words[i + 1].text, kBegin) && !is_one_of(words[i - 1].text, kBeforeOr)) found.push_back(i + 1);
  }
  return found;
}

}  // namespace

std::vector<std::string> filter_parts(const std::string& expression, std::size_t size) {
  const std::vector<Word> words = words_of(expression);
  std::vector<std::string> parts;
  std::size_t begin = 0;  // of the next part
  std::size_t end = 0;    // of the alternatives that are known to have room in it, and where the next one begins
  std::size_t next = 0;
  const auto cut = [&] {
    if (end > begin) parts.push_back(expression.substr(begin, end - begin));
    begin = next;
  };
  for (const std::size_t i : beginnings(words)) {
    const Word& last = words[i - 2];  // in front of `or`
    const std::size_t end_here = last.at + last.text.size();
    if (end_here - begin > size) cut();
    end = end_here;
    next = words[i].at;
  }
  if (expression.size() - begin > size) cut();
  parts.push_back(expression.substr(begin));
  return parts;
}

}  // namespace warpmeter::inline packet
