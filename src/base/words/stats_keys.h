// The keys of --stats as they were before they were snake_case. For one release files have both.
//
// Threads: any.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace warpmeter::inline base {

struct RenamedKey {
  std::string_view now, before;
};

// The others had spaces in place of underscores.
inline constexpr std::array<RenamedKey, 7> kRenamedKeys = {
    {{"ip_packets", "IP packets"},
     {"not_ip", "not IP"},
     {"tcp_headers_cut_off", "TCP headers cut off"},
     {"tcp_headers_cut_short_on_the_wire", "TCP headers cut short on the wire"},
     {"metered_on_the_cpu", "metered on the CPU"},
     {"frames_longer_than_the_mtu", "frames longer than the MTU"},
     {"lost_because_the_hand_over_was_full", "lost because the hand-over was full"}}};

// What the key was; the same, if it has not changed.
inline std::string old_stats_key(std::string_view key) {
  const auto* const found = std::ranges::find(kRenamedKeys, key, &RenamedKey::now);
  if (found != kRenamedKeys.end()) return std::string(found->before);
  std::string before(key);
  if (!key.ends_with("_ns")) std::ranges::replace(before, '_', ' ');
  return before;
}

}  // namespace warpmeter::inline base
