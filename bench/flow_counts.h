// The least that a flow meter does: packets and bytes of each 5-tuple in a hash table, on one core. No duplicates, no
// sequence numbers, no timeouts, no output, IPv4 in Ethernet alone (all else is one flow), and a table that must not
// fill up. A floor to measure against, no meter.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace floors {

class FlowCounts {
 public:
  FlowCounts() : entries_(kFewestEntries) {}

  std::uint64_t flows() const { return flows_; }

  // Packets that follow each other, in two rounds, so that waiting for memory overlaps.
  static constexpr std::size_t kRound = 32;
  void count(const std::array<const std::uint8_t*, kRound>& records, std::size_t count) {
    std::array<Packet, kRound> packets;
    while (2 * (flows_ + count) > entries_.size()) grow();
    for (std::size_t i = 0; i < count; ++i) {
      packets[i] = read(records[i]);
      __builtin_prefetch(&entries_[place_of(packets[i].hash)]);
    }
    for (std::size_t i = 0; i < count; ++i) {
      Entry& entry = find(packets[i]);
      ++entry.packets;
      entry.bytes += packets[i].bytes;
    }
  }

 private:
  static constexpr std::size_t kFewestEntries = 1 << 16;
  static constexpr std::size_t kRecordHeader = 16, kEthernet = 14;

  struct Packet {
    std::uint64_t addresses, rest;
    std::uint64_t hash;
    std::uint32_t bytes;
  };
  struct Entry {
    std::uint64_t addresses = 0, rest = 0;
    std::uint32_t packets = 0;
    std::uint32_t bytes = 0;
  };

  template <class T>
  static T load(const std::uint8_t* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }

  static Packet read(const std::uint8_t* record) {
    const std::uint8_t* ip = record + kRecordHeader + kEthernet;
    Packet p{};
    if (load<std::uint32_t>(record + 8) >= kEthernet + 24 && load<std::uint16_t>(ip - 2) == 0x0008 && ip[0] == 0x45) {
      p.addresses = load<std::uint64_t>(ip + 12);
      p.rest = load<std::uint32_t>(ip + 20) | std::uint64_t{ip[9]} << 32;
      p.bytes = load<std::uint16_t>(ip + 2);
    }
    p.hash = hash_of(p.addresses, p.rest);
    return p;
  }

  static std::uint64_t hash_of(std::uint64_t addresses, std::uint64_t rest) {
    const auto product = static_cast<unsigned __int128>(addresses ^ 0x9e3779b97f4a7c15u) * (rest ^ 0xd6e8feb86659fd93u);
    return static_cast<std::uint64_t>(product ^ product >> 64);
  }
  std::size_t place_of(std::uint64_t hash) const { return hash & (entries_.size() - 1); }

  void grow() {
    const std::vector<Entry> old(std::exchange(entries_, std::vector<Entry>(2 * entries_.size())));
    for (const Entry& entry : old) {
      if (!entry.packets) continue;
      std::size_t place = place_of(hash_of(entry.addresses, entry.rest));
      while (entries_[place].packets) place = (place + 1) & (entries_.size() - 1);
      entries_[place] = entry;
    }
  }

  Entry& find(const Packet& p) {
    for (std::size_t place = place_of(p.hash);; place = (place + 1) & (entries_.size() - 1)) {
      Entry& entry = entries_[place];
      if (entry.packets && entry.addresses == p.addresses && entry.rest == p.rest) return entry;
      if (entry.packets) continue;
      entry = {p.addresses, p.rest};
      ++flows_;
      return entry;
    }
  }

  std::vector<Entry> entries_;
  std::uint64_t flows_ = 0;
};

}  // namespace floors
