#include "record/text/time_text.h"

#include <chrono>

namespace warpmeter::inline record {
namespace {

// Exactly so many digits, and what stands behind them.
char* write_digits(char* to, unsigned value, int digits, char behind) {
  for (int i = digits - 1; i >= 0; --i, value /= 10) to[i] = static_cast<char>('0' + value % 10);
  to[digits] = behind;
  return to + digits + 1;
}

}  // namespace

char* write_utc(char* to, std::int64_t ns) {
  using namespace std::chrono;
  const sys_time<nanoseconds> moment{nanoseconds(ns)};
  const sys_time<seconds> second = floor<seconds>(moment);
  const sys_days midnight = floor<days>(second);
  const year_month_day date(midnight);
  const auto of_day = static_cast<unsigned>((second - midnight).count());
  // Not the moment less its second: that may lie before what 64 bits can tell.
  const auto fraction = static_cast<unsigned>(((ns % 1'000'000'000) + 1'000'000'000) % 1'000'000'000);
  to = write_digits(to, static_cast<unsigned>(static_cast<int>(date.year())), 4, '-');
  to = write_digits(to, static_cast<unsigned>(date.month()), 2, '-');
  to = write_digits(to, static_cast<unsigned>(date.day()), 2, 'T');
  to = write_digits(to, of_day / 3600, 2, ':');
  to = write_digits(to, of_day / 60 % 60, 2, ':');
  to = write_digits(to, of_day % 60, 2, '.');
  return write_digits(to, fraction, 9, 'Z');
}

}  // namespace warpmeter::inline record
