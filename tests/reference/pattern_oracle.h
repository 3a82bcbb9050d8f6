// Patterns of policies by sets of places: slow, and so plain that it needs no proof. It takes a part of what the
// program takes: bytes, `.`, classes, `\d`, `\xNN`, groups, `|`, `? * + {m} {m,n} {m,}`, `^` and, of payload, `$`.
#pragma once

#include <bitset>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace reference {

class PatternOracle {
 public:
  // Throws std::invalid_argument where it takes no such pattern.
  explicit PatternOracle(const std::string& text);

  // Does a match end in the bytes from `from` on? Where it begins does not matter. `whole`: the text begins with its
  // stream, so that `^` holds there.
  bool ends_within(std::span<const uint8_t> text, size_t from, bool whole) const;

 private:
  struct Part;
  using Sequence = std::vector<Part>;
  enum class Kind { bytes, group, start, end };
  struct Part {
    Kind kind = Kind::bytes;
    std::bitset<256> bytes;
    std::vector<Sequence> choices;  // of a group
    size_t least = 1, most = 1;
  };
  using Places = std::vector<bool>;  // of a text, from before its first byte to behind its last
  struct Text {
    std::span<const uint8_t> bytes;
    bool whole;
  };
  class Parser;

  static size_t longest(const std::vector<Sequence>& choices);
  static Places walk(const std::vector<Sequence>& choices, const Places& from, const Text& text);
  static Places walk(const Part& part, const Places& from, const Text& text);
  static Places once(const Part& part, const Places& from, const Text& text);

  std::vector<Sequence> choices_;
};

}  // namespace reference
