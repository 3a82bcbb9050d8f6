#include "analysis/page/key_cells.h"

#include <fmt/format.h>

#include "analysis/page/words.h"

namespace warpmeter::inline analysis {

std::string host_name(const HostKey& host) {
  return words::host(host[0], std::span<const std::uint8_t, 16>(host.data() + 1, 16));
}

html::Cell host_cell(const HostKey& host) { return {"<span class=\"host\">" + host_name(host) + "</span>"}; }

html::Cell pair_cell(const HostPairKey& pair) {
  const auto half = [&](std::size_t at) {
    return words::host(pair[0], std::span<const std::uint8_t, 16>(pair.data() + at, 16));
  };
  return {fmt::format("<span class=\"host\">{}</span> <span class=\"host\">→ {}</span>", half(1), half(17))};
}

html::Cell port_cell(const PortKey& port) {
  const auto number = static_cast<std::uint16_t>(port[0] << 8 | port[1]);
  return {fmt::format("{} <span class=\"faint\">{}</span>", number, words::service(number))};
}

}  // namespace warpmeter::inline analysis
