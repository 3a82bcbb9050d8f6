// What the driver of a network interface counts under names of its own, as `ethtool -S` shows it. Any thread.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace warpmeter::inline packet {

// The sum of those that are called so; 0 where there is none, or no such interface.
std::uint64_t driver_statistics_sum(const std::string& interface, std::initializer_list<std::string_view> names);

}  // namespace warpmeter::inline packet
