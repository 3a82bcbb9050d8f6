// Numbers as people read them.
#pragma once

#include <string>

namespace warpmeter {

std::string human_bytes(double bytes);   // "1.9 GiB"
std::string human_count(double count);   // "12.3 M"
std::string human_time(double seconds);  // "4.2 s", "3 min 5 s", "2 h 7 min"

}  // namespace warpmeter
