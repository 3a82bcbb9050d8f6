// Values as users write them: sizes with K, M, G, T (powers of 1024), counts, times in seconds or with a unit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpmeter {

// "512M" -> bytes. Throws Error (usage) with what was wrong.
std::uint64_t parse_size(const std::string& text);

// "500000", "56M" -> packets; K, M, G are powers of 1000. Throws Error (usage).
std::uint64_t parse_count(const std::string& text);

// "300", "1.5s", "100ms", "20us", "7ns", "5m" (minutes), "2h" -> ns. Throws Error (usage).
std::int64_t parse_time(const std::string& text);

// "0", "0,2,3" -> numbers from 0 on, each once; "all" -> none. Throws Error (usage).
std::vector<int> parse_gpus(const std::string& text);

}  // namespace warpmeter
