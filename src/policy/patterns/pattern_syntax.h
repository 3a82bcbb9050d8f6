// What of a pattern can be read without an automaton: refusals of what cannot be matched in a stream of bytes, and the
// pattern for a text that begins in the middle of a stream, where no `^` matches.
//
// Threads: any. Errors: PatternError.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace warpmeter::inline policy {

enum class PatternMode : unsigned char {
  block,   // of a payload, which is there as a whole
  stream,  // of a direction of a connection, which comes piece by piece
};

// A pattern that is not taken. what(): why, without the pattern.
class PatternError : public std::runtime_error {
 public:
  static constexpr std::size_t kNoPlace = static_cast<std::size_t>(-1);

  explicit PatternError(const std::string& why, std::size_t place = kNoPlace)
      : std::runtime_error(why), place_(place) {}
  std::size_t place() const { return place_; }  // of the pattern among those of a set, where one of them is to blame

 private:
  std::size_t place_;
};

struct PatternSyntax {
  bool anchored = false;      // has a `^` or `\A`, of a stream
  bool never_inside = false;  // cannot match but with one of these
  std::string inside;         // what can match without them, as a pattern; the same pattern if there are none
};

PatternSyntax read_pattern(std::string_view pattern, PatternMode mode);

}  // namespace warpmeter::inline policy
