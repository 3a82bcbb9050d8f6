// Amounts as people write them, on the command line and in filters. One spelling means the same in both:
//
//   bytes   K, M, G, T (and KiB ..., Ki ...) are powers of 1024, KB, MB, GB, TB are powers of 1000; B is a byte
//   counts  K, M, G, T are powers of 1000, Ki, Mi, Gi, Ti those of 1024
//   times   ns, us, ms, s, m or min, h, d; in nanoseconds
//
// The letters of bytes and counts may be small ones; those of times must be, so that 5m are minutes and 5M are none.
// Any thread; nothing throws.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <system_error>

namespace warpmeter::inline base {

enum class AmountOf : std::uint8_t { bytes, count, time };

struct Amount {
  enum class State : std::uint8_t { good, none, too_large };
  State state = State::none;  // too_large: a number with a unit, and beyond 64 bits
  std::int64_t value = 0;     // if good
};

namespace amount_detail {

struct Unit {
  std::string_view name;  // in small letters
  double scale;
};

inline constexpr Unit kByteUnits[] = {
    {"b", 1},        {"k", 0x1p10}, {"ki", 0x1p10}, {"kib", 0x1p10}, {"m", 0x1p20}, {"mi", 0x1p20},
    {"mib", 0x1p20}, {"g", 0x1p30}, {"gi", 0x1p30}, {"gib", 0x1p30}, {"t", 0x1p40}, {"ti", 0x1p40},
    {"tib", 0x1p40}, {"kb", 1e3},   {"mb", 1e6},    {"gb", 1e9},     {"tb", 1e12}};
inline constexpr Unit kCountUnits[] = {{"k", 1e3},     {"m", 1e6},     {"g", 1e9},     {"t", 1e12},
                                       {"ki", 0x1p10}, {"mi", 0x1p20}, {"gi", 0x1p30}, {"ti", 0x1p40}};
inline constexpr Unit kTimeUnits[] = {{"ns", 1},   {"us", 1e3},   {"ms", 1e6},   {"s", 1e9},
                                      {"m", 60e9}, {"min", 60e9}, {"h", 3600e9}, {"d", 86400e9}};

// The scale of what stands behind the number; 0 if it is no unit.
template <std::size_t kCount>
double scale_of(std::string_view name, const Unit (&units)[kCount], bool any_case) {
  const auto same = [any_case](char written, char small) {
    return written == small || (any_case && written >= 'A' && written <= 'Z' && written - 'A' + 'a' == small);
  };
  for (const Unit& unit : units) {
    bool all = name.size() == unit.name.size();
    for (std::size_t i = 0; all && i < name.size(); ++i) all = same(name[i], unit.name[i]);
    if (all) return unit.scale;
  }
  return 0;
}

inline double scale_of(std::string_view name, AmountOf what) {
  if (what == AmountOf::bytes) return scale_of(name, kByteUnits, true);
  return what == AmountOf::count ? scale_of(name, kCountUnits, true) : scale_of(name, kTimeUnits, false);
}

}  // namespace amount_detail

// `plain`: what a number without a unit is multiplied by. Whole results alone: 1.5 bytes or packets are none; but parts
// of a unit of bytes are rounded to whole ones.
inline Amount read_amount(std::string_view text, AmountOf what, std::int64_t plain = 1) {
  using State = Amount::State;
  constexpr double kLargest = 9e18;
  const char *const first = text.data(), *const last = first + text.size();
  std::int64_t whole = 0;
  const auto [whole_end, whole_failed] = std::from_chars(first, last, whole);
  if (whole_end == last && whole_failed == std::errc() && plain == 1) return {State::good, whole};
  const std::size_t digit = text.starts_with('-') ? 1 : 0;  // neither "inf" nor "nan"
  if (text.size() <= digit || std::string_view("0123456789.").find(text[digit]) == std::string_view::npos) return {};
  double number = 0;
  const auto [end, failed] = std::from_chars(first, last, number, std::chars_format::fixed);
  if (failed == std::errc::invalid_argument) return {};
  const bool bare = end == last;
  const std::string_view unit(end, static_cast<std::size_t>(last - end));
  const double scale = bare ? static_cast<double>(plain) : amount_detail::scale_of(unit, what);
  if (scale == 0) return {};
  const double value = number * scale;
  if (failed != std::errc() || !(std::fabs(value) < kLargest)) return {State::too_large, 0};
  const bool rounded = what == AmountOf::bytes && scale > 1;
  const double tolerance = 1e-6 * std::fmax(1.0, std::fabs(value) / 1e9);
  if (!rounded && std::fabs(value - std::round(value)) > tolerance) return {};
  return {State::good, std::llround(value)};
}

}  // namespace warpmeter::inline base
