#include "pipeline/human_units.h"

#include <fmt/format.h>

#include <cmath>
#include <span>

namespace warpmeter {
namespace {

std::string scaled(double value, double step, std::span<const char* const> units) {
  std::size_t i = 0;
  for (; value >= step && i + 1 < units.size(); ++i) value /= step;
  return fmt::format("{:.{}f}{}", value, i == 0 ? 0 : 1, units[i]);
}

}  // namespace

std::string human_bytes(double bytes) {
  static constexpr const char* kUnits[] = {" B", " KiB", " MiB", " GiB", " TiB"};
  return scaled(bytes, 1024, kUnits);
}

std::string human_count(double count) {
  static constexpr const char* kUnits[] = {"", " k", " M", " G"};
  return scaled(count, 1000, kUnits);
}

std::string human_time(double seconds) {
  if (seconds < 10) return fmt::format("{:.2f} s", seconds);
  const auto whole = static_cast<long long>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

}  // namespace warpmeter
