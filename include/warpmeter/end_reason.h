// Why a flow ended: IPFIX flowEndReason (IANA element 136).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpmeter {

enum class EndReason : std::uint8_t { idle = 1, active = 2, end_of_flow = 3, forced = 4, lack_of_resources = 5 };

// In the words of every table, summary and page, by number; 0 is none.
inline constexpr std::array<std::string_view, 6> kEndReasonWords = {
    "", "idle timeout", "active timeout", "end of flow", "end of input", "lack of resources"};

// "" for numbers that are no end reason.
inline constexpr std::string_view end_reason_words(std::int64_t reason) {
  return reason > 0 && reason < static_cast<std::int64_t>(kEndReasonWords.size())
             ? kEndReasonWords[static_cast<std::size_t>(reason)]
             : std::string_view{};
}

}  // namespace warpmeter
