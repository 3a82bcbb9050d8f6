#include "command/live/top_hosts.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "core/seeded_hash.h"

namespace warpmeter::inline command {
namespace {

auto host_of(const TopHost& host) { return std::tuple(host.key.version, std::to_array(host.key.source)); }

void keep_most(std::vector<TopHost>& hosts, std::size_t most) {
  most = std::min(most, hosts.size());
  const auto before = [](const TopHost& a, const TopHost& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : host_of(a) < host_of(b);
  };
  std::ranges::partial_sort(hosts, hosts.begin() + static_cast<std::ptrdiff_t>(most), before);
  hosts.resize(most);
}

}  // namespace

std::vector<TopHost> most_of(std::vector<TopHost> hosts, std::size_t most) {
  std::ranges::sort(hosts, {}, host_of);
  std::vector<TopHost> sums;
  for (const TopHost& host : hosts) {
    if (!sums.empty() && host_of(sums.back()) == host_of(host)) sums.back().bytes += host.bytes;
    else sums.push_back(host);
  }
  keep_most(sums, most);
  return sums;
}

void TopHosts::add(const FlowKey& key, std::uint64_t bytes) {
  Host host{key.version};
  std::memcpy(host.data() + 1, key.source, sizeof key.source);
  Place* const bucket = &places_[hash_bytes(host.data(), host.size(), seed_) % kBuckets * kWays];
  Place* least = bucket;
  for (Place* place = bucket; place != bucket + kWays; ++place) {
    if (place->host == host) {
      place->bytes += bytes;
      return;
    }
    if (place->bytes < least->bytes) least = place;
  }
  *least = {host, least->bytes + bytes, least->bytes};
}

std::vector<TopHost> TopHosts::take(std::size_t most) {
  std::vector<TopHost> hosts;
  for (Place& place : places_) {
    if (place.bytes > place.in_doubt) {
      TopHost& host = hosts.emplace_back(TopHost{{}, place.bytes - place.in_doubt});
      host.key.version = place.host[0];
      std::memcpy(host.key.source, place.host.data() + 1, sizeof host.key.source);
    }
    place = {};
  }
  keep_most(hosts, most);
  return hosts;
}

}  // namespace warpmeter::inline command
