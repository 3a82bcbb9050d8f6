// Thousands of orderly connections at once, time forwards: TCP that opens, sends, repeats itself, closes and opens
// again, UDP beside it, and copies from a mirror port. Raw IPv4.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "reference/pcap_writer.h"
#include "reference/put_bytes.h"

namespace warpmeter::test {

class ManyFlows {
 public:
  ManyFlows(std::uint64_t seed, std::uint32_t flows)
      : random_(seed), pcap_(reference::TrafficShape{.link = 101}), talkers_(flows) {}

  std::vector<std::uint8_t> capture(std::uint32_t packets) {
    for (std::uint32_t i = 0; i < packets; ++i) {
      time_ns_ += below(200'000);
      if (!last_.empty() && below(10) == 0) write(last_, last_length_);
      else packet_of(below(static_cast<std::uint32_t>(talkers_.size())));
    }
    return pcap_.file();
  }

 private:
  static constexpr std::uint8_t kFin = 1, kSyn = 2, kAck = 16;
  struct Talker {
    std::uint32_t isn = 0, next = 0;
    bool open = false, known = false, closed = false;
  };

  std::uint32_t below(std::uint32_t count) { return static_cast<std::uint32_t>(random_() % count); }

  void packet_of(std::uint32_t flow) {
    if (flow % 4 == 0) return datagram(flow);
    Talker& talker = talkers_[flow];
    const std::uint32_t choice = below(20);
    if (!talker.open) open(flow, talker);
    else if (choice == 0) close(flow, talker);
    // What only lost sequence state could tell is left out: whether a SYN behind a FIN is of another connection, and
    // that what begins below the ISN does not fit.
    else if (choice == 1 && !talker.closed) segment(flow, talker.isn, kSyn, 0);  // the same SYN again
    else if (choice == 2 && talker.next - talker.isn > 100) segment(flow, talker.next - 100, kAck, 100);
    else data(flow, talker, choice == 3 ? 1000 : 0);
  }

  void open(std::uint32_t flow, Talker& talker) {
    talker.isn = below(UINT32_MAX);
    talker.next = talker.isn + 1;
    talker.open = true;
    // A first connection may be met midway, and its SYN come late. Of a later one the SYN comes first: where it does
    // not, only lost sequence state could tell that this is another connection.
    talker.closed = false;
    if (talker.known || below(8)) segment(flow, talker.isn, kSyn, 0);
    else data(flow, talker, 0);
    talker.known = true;
  }
  void data(std::uint32_t flow, Talker& talker, std::uint32_t left_out) {
    const std::uint32_t payload = 100 + below(1000);
    talker.next += left_out;
    segment(flow, talker.next, kAck, payload);
    talker.next += payload;
  }
  void close(std::uint32_t flow, Talker& talker) {
    segment(flow, talker.next, kFin | kAck, 0);
    talker.closed = true;
    talker.open = below(2);  // else the next packet opens another connection
  }

  std::vector<std::uint8_t> ip_header(std::uint32_t flow, std::uint8_t protocol, std::uint32_t length) {
    std::vector<std::uint8_t> bytes;
    reference::put(bytes, 0x4500, 2);
    reference::put(bytes, length, 2);
    reference::put(bytes, 1 + below(65'535), 2);
    reference::put(bytes, 0, 2);
    reference::put(bytes, 64, 1);
    reference::put(bytes, protocol, 1);
    reference::put(bytes, 0, 2);
    reference::put(bytes, 0x0a000000 + flow, 4);
    reference::put(bytes, 0xc0000201, 4);
    reference::put(bytes, 1024 + flow % 60'000, 2);
    reference::put(bytes, 80, 2);
    return bytes;
  }
  void segment(std::uint32_t flow, std::uint32_t sequence, std::uint8_t flags, std::uint32_t payload) {
    std::vector<std::uint8_t> bytes = ip_header(flow, 6, 40 + payload);
    reference::put(bytes, sequence, 4);
    reference::put(bytes, 0, 4);
    reference::put(bytes, 0x5000u | flags, 2);
    reference::put(bytes, below(30) ? 500 : 0, 2);
    reference::put(bytes, below(65'536), 4);
    write(bytes, 40 + payload);
  }
  void datagram(std::uint32_t flow) {
    std::vector<std::uint8_t> bytes = ip_header(flow, 17, 60);
    reference::put(bytes, random_(), 8);
    write(bytes, 60);
  }
  void write(const std::vector<std::uint8_t>& bytes, std::uint32_t length) {
    pcap_.frame(time_ns_, bytes, length);
    last_ = bytes;
    last_length_ = length;
  }

  std::mt19937_64 random_;
  reference::PcapWriter pcap_;
  std::vector<Talker> talkers_;
  std::int64_t time_ns_ = 1'700'000'000'000'000'000;
  std::vector<std::uint8_t> last_;
  std::uint32_t last_length_ = 0;
};

}  // namespace warpmeter::test
