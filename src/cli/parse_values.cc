#include "cli/parse_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "warpmeter/status.h"

namespace warpmeter {
namespace {

struct Unit {
  const char* name;
  double scale;
};

constexpr Unit kSizeUnits[] = {{"", 1},
                               {"B", 1},
                               {"K", 1024.0},
                               {"KiB", 1024.0},
                               {"M", 1048576.0},
                               {"MiB", 1048576.0},
                               {"G", 1073741824.0},
                               {"GiB", 1073741824.0},
                               {"T", 1099511627776.0},
                               {"TiB", 1099511627776.0}};
constexpr Unit kCountUnits[] = {{"", 1}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}};
constexpr Unit kTimeUnits[] = {{"", 1e9}, {"s", 1e9},  {"ms", 1e6},   {"us", 1e3},
                               {"ns", 1}, {"m", 60e9}, {"min", 60e9}, {"h", 3600e9}};

// Beyond this a double no longer tells neighbouring whole numbers apart, and nobody means it.
constexpr double kLargest = 4e18;

template <std::size_t kCount>
double parse(const std::string& text, const Unit (&units)[kCount], const char* what) {
  double number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, failed] = std::from_chars(text.data(), last, number, std::chars_format::fixed);
  for (const Unit& unit : units) {
    if (failed != std::errc() || std::string(end, last) != unit.name) continue;
    const double value = number * unit.scale;
    if (std::isfinite(value) && value >= 0 && value <= kLargest) return value;
  }
  throw Error("'" + text + "' is not a " + what, ExitStatus::usage);
}

}  // namespace

std::uint64_t parse_size(const std::string& text) {
  return static_cast<std::uint64_t>(std::llround(parse(text, kSizeUnits, "size (such as 512M or 4G)")));
}

std::uint64_t parse_count(const std::string& text) {
  return static_cast<std::uint64_t>(std::llround(parse(text, kCountUnits, "number (such as 500000 or 56M)")));
}

std::int64_t parse_time(const std::string& text) {
  return std::llround(parse(text, kTimeUnits, "time (such as 300, 1.5s or 100ms)"));
}

std::vector<int> parse_gpus(const std::string& text) {
  std::vector<int> gpus;
  if (text == "all") return gpus;
  const Error wrong("'" + text + "' does not name GPUs (such as 0, or 0,1, or all)", ExitStatus::usage);
  const char *at = text.data(), *const last = text.data() + text.size();
  for (;; ++at) {
    int number = -1;
    const auto [end, failed] = std::from_chars(at, last, number);
    if (failed != std::errc() || number < 0 || std::find(gpus.begin(), gpus.end(), number) != gpus.end()) throw wrong;
    gpus.push_back(number);
    if (end == last) return gpus;
    if (*end != ',') throw wrong;
    at = end;
  }
}

}  // namespace warpmeter
