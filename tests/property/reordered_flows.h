// TCP flows whose segments come in the wrong order, all at about the same time: round by round each opens holes in what
// its receiver has, and closes most of them before the round is over. Raw IPv4.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "reference/pcap_writer.h"
#include "support/packets.h"

namespace warpmeter::test {

class ReorderedFlows {
 public:
  // `most_holes` of a flow at once.
  ReorderedFlows(std::uint64_t seed, std::uint32_t flows, std::uint32_t most_holes)
      : random_(seed), pcap_(reference::TrafficShape{.link = 101}), most_holes_(most_holes), flows_(flows) {
    for (Flow& flow : flows_) flow.next = static_cast<std::uint32_t>(random_());
  }

  // A round: `2 * flows * most_holes` packets at most.
  std::vector<std::uint8_t> capture(std::uint32_t rounds) {
    for (std::uint32_t i = 0; i < rounds; ++i) {
      each_flow([&](std::uint16_t number, Flow& flow) { open_holes(number, flow); });
      each_flow([&](std::uint16_t number, Flow& flow) { close_holes(number, flow); });
    }
    return pcap_.file();
  }

 private:
  static constexpr std::uint32_t kPayload = 100;
  struct Flow {
    std::uint32_t next = 0;              // sequence number
    std::vector<std::uint32_t> missing;  // segments
  };

  template <class F>
  void each_flow(F f) {
    std::vector<std::uint16_t> order(flows_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint16_t>(i);
    std::shuffle(order.begin(), order.end(), random_);
    for (const std::uint16_t number : order) f(number, flows_[number]);
  }

  void open_holes(std::uint16_t number, Flow& flow) {
    const std::uint32_t holes = 1 + static_cast<std::uint32_t>(random_() % most_holes_);
    for (std::uint32_t i = 0; i < holes; ++i, flow.next += 2 * kPayload) {
      flow.missing.push_back(flow.next);
      segment(number, flow.next + kPayload);
    }
  }

  void close_holes(std::uint16_t number, Flow& flow) {
    if (random_() % 16 == 0) return;  // some other time
    std::shuffle(flow.missing.begin(), flow.missing.end(), random_);
    for (const std::uint32_t sequence : flow.missing) segment(number, sequence);
    flow.missing.clear();
  }

  void segment(std::uint16_t number, std::uint32_t sequence) {
    TcpFields fields;
    fields.source_port = static_cast<std::uint16_t>(1024 + number);
    fields.sequence = sequence;
    Ip4Fields ip;
    ip.id = ++id_;
    ip.length = static_cast<std::uint16_t>(40 + kPayload);
    const Bytes bytes = ip4(ip, tcp(fields));
    pcap_.frame(time_ns_ += 1000, bytes, 40 + kPayload);
  }

  std::mt19937_64 random_;
  reference::PcapWriter pcap_;
  const std::uint32_t most_holes_;
  std::vector<Flow> flows_;
  std::int64_t time_ns_ = 1'700'000'000'000'000'000;
  std::uint16_t id_ = 0;
};

}  // namespace warpmeter::test
