#include "command/packets/packet_verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "warpmeter/status.h"

namespace warpmeter::inline command {

VerdictSet VerdictSet::named(const std::string& words) {
  unsigned bits = 0;
  for (std::size_t at = 0; at <= words.size();) {
    const std::size_t end = std::min(words.find(',', at), words.size());
    const std::string_view word = std::string_view(words).substr(at, end - at);
    const auto found = std::ranges::find(kVerdictWords, word);
    if (found == kVerdictWords.end()) {
      throw Error(fmt::format("-w {}: '{}' is no verdict; there are {}", words, word, fmt::join(kVerdictWords, ", ")),
                  ExitStatus::usage);
    }
    bits |= 1u << (found - kVerdictWords.begin());
    at = end + 1;
  }
  return VerdictSet(bits);
}

}  // namespace warpmeter::inline command
