// Flow Records of all kinds for the tests of IPFIX, and a sink that keeps what it is given.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>
#include <utility>
#include <vector>

#include "core/message_format.h"
#include "core/record_reader.h"
#include "warpmeter/flow_record.h"

namespace warpmeter::test {

class KeepingSink : public MessageSink {
 public:
  explicit KeepingSink(std::size_t largest = 65535) : largest_(largest) {}
  std::size_t largest_message() const override { return largest_; }
  void begin(std::vector<IpfixMessage> messages) override {
    ++begun;
    templates = std::move(messages);
  }
  void add_templates(IpfixMessage message) override {
    added_before.push_back(data.size());
    added.push_back(std::move(message));
  }
  void send(IpfixMessage message) override { data.push_back(std::move(message)); }
  void end() override { ++ended; }

  std::vector<IpfixMessage> templates, added, data;
  std::vector<std::size_t> added_before;  // how many messages had been sent
  int begun = 0, ended = 0;

 private:
  const std::size_t largest_;
};

// Counters of at most `bits` bits.
inline FlowRecord random_record(std::mt19937_64& random, std::uint8_t protocol, std::uint8_t version, int bits) {
  const auto value = [&] { return random() >> (64 - bits); };
  const auto octet = [&] { return static_cast<std::uint8_t>(random()); };
  FlowRecord record;
  record.key.version = version;
  record.key.protocol = protocol;
  for (int i = 0; i < (version == 4 ? 4 : 16); ++i) record.key.source[i] = octet(), record.key.destination[i] = octet();
  for (int i = 0; i < 2; ++i) record.key.source_port[i] = octet(), record.key.destination_port[i] = octet();
  record.key.vlan[1] = octet();
  record.start_ns = static_cast<std::int64_t>(random() % 2'000'000'000'000'000'000u);
  record.end_ns = record.start_ns + static_cast<std::int64_t>(random() % 2'000'000'000'000u);
  record.packets = value(), record.bytes = value();
  record.duplicate_packets = value(), record.duplicate_bytes = value();
  record.end_reason = static_cast<EndReason>(1 + random() % 5);
  if (protocol != kProtocolTcp) return record;
  for (std::uint64_t FlowRecord::*counter :
       {&FlowRecord::payload_bytes, &FlowRecord::data_segments, &FlowRecord::retransmitted_segments,
        &FlowRecord::retransmitted_bytes, &FlowRecord::out_of_order_segments, &FlowRecord::keep_alive_segments,
        &FlowRecord::missing_bytes, &FlowRecord::syn_count, &FlowRecord::fin_count, &FlowRecord::rst_count,
        &FlowRecord::zero_window_count, &FlowRecord::stray_segments}) {
    record.*counter = value();
  }
  record.tcp_flags = octet();
  if (random() % 2) return record;
  record.flags = kHasConnection;
  record.connection_bytes = static_cast<std::int64_t>(value());
  record.connection_ns = static_cast<std::int64_t>(value());
  return record;
}

// Neighbours are often of the same shape, as in the output; some have a reverse direction.
inline std::vector<Biflow> random_biflows(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Biflow> flows;
  while (flows.size() < count) {
    const std::uint8_t protocol = random() % 3 ? kProtocolTcp : kProtocolUdp;
    const std::uint8_t version = random() % 2 ? 4 : 6;
    const int bits = random() % 2 ? 32 : 33 + static_cast<int>(random() % 31);
    for (std::uint64_t i = random() % 20; i > 0; --i) {
      Biflow flow{random_record(random, protocol, version, bits), {}, random() % 2 == 0};
      if (flow.has_reverse) {
        flow.reverse = random_record(random, protocol, version, bits);
        for (int o = 0; o < 16; ++o) {
          flow.reverse.key.source[o] = flow.forward.key.destination[o];
          flow.reverse.key.destination[o] = flow.forward.key.source[o];
        }
      }
      flows.push_back(flow);
    }
  }
  flows.resize(count);
  return flows;
}

}  // namespace warpmeter::test
