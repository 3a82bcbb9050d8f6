// Numbers as people read them, the same in tables, summaries and pages: three digits that count. Bytes are divided by
// 1024 and say so (KiB), counts and bits by 1000. Any thread.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace warpmeter::inline base {

namespace human_detail {

inline std::string digits(double value, int decimals) {
  char text[400];
  const auto [end, failed] = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, decimals);
  std::string number(text, end);
  if (number.ends_with(".00") || number.ends_with(".0")) number.resize(number.find('.'));
  return number;
}

inline std::string three_digits(double value) { return digits(value, value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2); }

inline std::string scaled(double value, double step, std::span<const std::string_view> units) {
  std::size_t i = 0;
  for (; value >= step * 0.9995 && i + 1 < units.size(); ++i) value /= step;
  return (i == 0 ? digits(value, 0) : three_digits(value)).append(units[i]);
}

inline std::string two_parts(std::uint64_t large, std::string_view large_unit, std::uint64_t small,
                             std::string_view small_unit) {
  std::string text = std::to_string(large).append(large_unit);
  return small == 0 ? text : text.append(" ").append(std::to_string(small)).append(small_unit);
}

}  // namespace human_detail

// "512 B", "1.50 KiB", "12.3 GiB"
inline std::string human_bytes(double bytes) {
  static constexpr std::string_view kUnits[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
  return human_detail::scaled(bytes, 1024, kUnits);
}

// "512 B", "1.50 kB", "12.3 GB": divided by 1000, where a rate in bits is beside it.
inline std::string human_decimal_bytes(double bytes) {
  static constexpr std::string_view kUnits[] = {" B", " kB", " MB", " GB", " TB", " PB", " EB"};
  return human_detail::scaled(bytes, 1000, kUnits);
}

// "512", "1.50 k", "12.3 M"
inline std::string human_count(double count) {
  static constexpr std::string_view kUnits[] = {"", " k", " M", " G", " T", " P", " E"};
  return human_detail::scaled(count, 1000, kUnits);
}

// "1 flow", "2 flows"; the plural adds an s.
inline std::string human_number_of(std::uint64_t count, std::string_view noun) {
  return std::to_string(count).append(" ").append(noun).append(count == 1 ? "" : "s");
}

// "12.3 Mbit/s"
inline std::string human_bit_rate(double bytes_per_second) {
  static constexpr std::string_view kUnits[] = {" bit/s", " kbit/s", " Mbit/s", " Gbit/s", " Tbit/s"};
  return human_detail::scaled(bytes_per_second * 8, 1000, kUnits);
}

// "0 s", "27 ms", "4.20 s", "3 min 5 s", "2 h 7 min", "2 d 7 h"
inline std::string human_time(double seconds) {
  using namespace human_detail;
  if (seconds < 0) return std::string("-").append(human_time(-seconds));
  if (seconds == 0) return "0 s";
  if (seconds < 0.9995e-6) return three_digits(seconds * 1e9) + " ns";
  if (seconds < 0.9995e-3) return three_digits(seconds * 1e6) + " us";
  if (seconds < 0.9995) return three_digits(seconds * 1e3) + " ms";
  if (seconds < 59.95) return three_digits(seconds) + " s";
  const auto s = static_cast<std::uint64_t>(std::llround(seconds)), min = s / 60, h = min / 60;
  if (min < 60) return two_parts(min, " min", s % 60, " s");
  if (h < 48) return two_parts(h, " h", min % 60, " min");
  return two_parts(h / 24, " d", h % 24, " h");
}

inline std::string human_span(std::int64_t ns) { return human_time(static_cast<double>(ns) / 1e9); }

}  // namespace warpmeter::inline base
