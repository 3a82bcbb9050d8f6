// Puts Data Records into Sets and Sets into IPFIX Messages of at most so many octets, and hands these to a sink; and
// times as these have them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/message_format.h"

namespace warpmeter::inline record {

class MessageBuilder {
 public:
  // `sink` must outlive it.
  MessageBuilder(MessageSink& sink, std::uint32_t domain);

  // Where a record of `octets` goes, to be filled before the next call. Sends the message that it does not fit into.
  // Throws Error if it fits into none.
  std::uint8_t* room(std::uint16_t template_id, std::size_t octets, std::int64_t end_ns);

  // As well, of a record that an Options Template describes.
  std::uint8_t* room_of_options(std::uint16_t template_id, std::size_t octets);

  // Sends what is there.
  void flush();

  // Of the message that is being built: the second of the latest end_ns so far, whatever message it came with.
  std::uint32_t export_time() const;

 private:
  void start_message();
  void close_set();

  MessageSink& sink_;
  const std::uint32_t domain_;
  const std::size_t largest_;
  IpfixMessage message_;  // as large as it may get
  std::size_t fill_ = 0;  // octets of it; 0 if none was started
  std::size_t set_ = 0;   // where the Set begins that is being filled
  std::uint16_t template_id_ = 0;
  std::int64_t latest_ns_ = 0;
};

// Times as IPFIX writes them (RFC 7011, section 6.1), from nanoseconds since 1970.
//
// dateTimeMilliseconds has no times before 1970: they become 1970. dateTimeNanoseconds is an NTP timestamp, which
// counts seconds since 1900 modulo 2^32: times from 1900 to 2036 stand as they are, all others as those of another era.
// Whoever reads both fields takes the era that is nearest to the milliseconds, and has the exact time from 1902 on.

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
