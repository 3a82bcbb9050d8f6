// Why a flow ended, in the words of every table, summary and page.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace warpmeter {

// By number (EndReason); 0 is none.
inline constexpr std::array<std::string_view, 6> kEndReasonWords = {
    "", "idle timeout", "active timeout", "end of flow", "end of input", "lack of resources"};

// "" for numbers that are no end reason.
inline constexpr std::string_view end_reason_words(std::int64_t reason) {
  return reason > 0 && reason < static_cast<std::int64_t>(kEndReasonWords.size())
             ? kEndReasonWords[static_cast<std::size_t>(reason)]
             : std::string_view{};
}

}  // namespace warpmeter
