// Annexes of which every value is there or not by chance.
#pragma once

#include <random>

#include "core/annex.h"

namespace warpmeter::test {

inline Annex random_annex(std::mt19937_64& random) {
  Annex annex;
  const auto octets = [&random](auto& to) {
    for (std::uint8_t& octet : to) octet = static_cast<std::uint8_t>(random());
  };
  octets(annex.src_mac);
  octets(annex.dst_mac);
  annex.outer_version = random() % 2 ? 4 : 6;
  octets(annex.outer_src);
  octets(annex.outer_dst);
  if (annex.outer_version == 4) {
    std::fill(annex.outer_src + 4, std::end(annex.outer_src), 0);
    std::fill(annex.outer_dst + 4, std::end(annex.outer_dst), 0);
  }
  annex.tunnel = static_cast<std::uint8_t>(1 + random() % (kTunnelKinds - 1));
  annex.option_count = static_cast<std::uint8_t>(1 + random() % Annex::kMostOptions);
  for (std::size_t i = 0; i < annex.option_count; ++i) annex.options[i] = static_cast<std::uint8_t>(random());
  for (std::size_t i = 0; i < kAnnexFields; ++i) {
    const auto field = static_cast<AnnexField>(i);
    if (random() % 3 == 0) continue;
    if (facts_of(field).text) annex.set(field);
    else
      annex.set_number(field, static_cast<std::int64_t>(random() % 4) * (field == AnnexField::tunnel_id ? 1 << 30 : 1));
    if (field == AnnexField::syn_sack_permitted || field == AnnexField::syn_timestamps) {
      annex.set_number(field, static_cast<std::int64_t>(random() % 2));
    }
  }
  return annex;
}

// All that the columns of two say is the same.
inline bool says_the_same(const Annex& a, const Annex& b) {
  for (std::size_t i = 0; i < kAnnexFields; ++i) {
    const auto field = static_cast<AnnexField>(i);
    char one[INET6_ADDRSTRLEN * 4], other[INET6_ADDRSTRLEN * 4];
    if (a.number(field) != b.number(field)) return false;
    if (std::string_view(one, static_cast<std::size_t>(a.write(one, field) - one)) !=
        std::string_view(other, static_cast<std::size_t>(b.write(other, field) - other)))
      return false;
  }
  return true;
}

}  // namespace warpmeter::test
