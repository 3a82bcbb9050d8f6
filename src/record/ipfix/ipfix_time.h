// Times as IPFIX writes them (RFC 7011, section 6.1), from nanoseconds since 1970.
//
// dateTimeMilliseconds has no times before 1970: they become 1970. dateTimeNanoseconds is an NTP timestamp, which
// counts seconds since 1900 modulo 2^32: times from 1900 to 2036 stand as they are, all others as those of another era.
// Whoever reads both fields takes the era that is nearest to the milliseconds, and has the exact time from 1902 on.
#pragma once

#include <algorithm>
#include <cstdint>

namespace warpmeter::inline record {

inline constexpr std::int64_t kNanosecondsInSecond = 1'000'000'000;
inline constexpr std::int64_t kSecondsFrom1900To1970 = 2'208'988'800;

// Rounded towards the past.
inline std::int64_t seconds_of(std::int64_t ns) { return ns / kNanosecondsInSecond - (ns % kNanosecondsInSecond < 0); }

// Export Time of a message about that time: 1970 and 2106 at the ends.
inline std::uint32_t export_second(std::int64_t ns) {
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(seconds_of(ns), 0, UINT32_MAX));
}

inline std::uint64_t milliseconds_of(std::int64_t ns) {
  return ns < 0 ? 0 : static_cast<std::uint64_t>(ns) / 1'000'000;
}

// The fraction is the next one above, so that a reader who rounds down has the nanosecond that went in; also tshark,
// which shows a nanosecond less where the fraction is exact.
inline std::uint64_t ntp_of(std::int64_t ns) {
  const std::int64_t seconds = seconds_of(ns);
  const std::int64_t remainder = ns % kNanosecondsInSecond;
  const auto rest = static_cast<std::uint64_t>(remainder < 0 ? remainder + kNanosecondsInSecond : remainder);
  const std::uint64_t fraction = rest == 0 ? 0 : (rest << 32) / kNanosecondsInSecond + 1;
  return static_cast<std::uint64_t>(seconds + kSecondsFrom1900To1970) << 32 | fraction;
}

}  // namespace warpmeter::inline record
