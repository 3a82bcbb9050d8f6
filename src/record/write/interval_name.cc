#include "record/write/interval_name.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

namespace warpmeter::inline record {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

}  // namespace

std::int64_t beginning_of_interval(std::int64_t ns, std::int64_t length) {
  const std::int64_t behind = ((ns % length) + length) % length;
  return ns - behind;
}

std::string interval_name(std::int64_t ns) {
  const std::int64_t fraction = ((ns % kSecond) + kSecond) % kSecond;
  const auto seconds = static_cast<std::time_t>((ns - fraction) / kSecond);
  const std::string text = fmt::format("{:%Y%m%dT%H%M%S}", fmt::gmtime(seconds));
  return fraction ? fmt::format("{}.{:09}Z", text, fraction) : text + "Z";
}

}  // namespace warpmeter::inline record
