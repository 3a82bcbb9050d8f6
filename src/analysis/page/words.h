// Numbers, times, addresses and protocols as people read them. Plain text, not escaped for HTML.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace warpmeter::inline analysis::words {

std::string exact(std::uint64_t count);         // "1,234,567"
std::string count(std::uint64_t count);         // "123,456", "1.23 M"
std::string bytes(std::uint64_t bytes);         // "512 B", "1.23 GiB"
std::string bit_rate(double bytes_per_second);  // "12.3 Mbit/s"
std::string percent(std::uint64_t part,
                    std::uint64_t whole);  // "12 %", "0.82 %", "< 0.01 %"; all and nothing are exact
std::string duration(std::int64_t from_ns, std::int64_t to_ns);  // "27 ms", "4.2 s", "3 min 5 s", "2 d 7 h"
std::string width(std::int64_t ns);                              // of a bucket: "200 ms", "10 s", "2 h"
std::string day(std::int64_t ns);                                // "2023-11-14", UTC
std::string time_of_day(std::int64_t ns);                        // "22:13:20", UTC

// "1 flow", "2 flows"; the plural adds an s.
std::string some(std::uint64_t count, std::string_view noun);

std::string host(std::uint8_t version, std::span<const std::uint8_t, 16> address);
std::string protocol(std::uint8_t number);     // "TCP", "IP protocol 200"
std::string_view service(std::uint16_t port);  // "https"; empty if it is none of the few that everybody knows
std::string end_reason(std::uint8_t number);   // "idle timeout (fell silent)"

}  // namespace warpmeter::inline analysis::words
