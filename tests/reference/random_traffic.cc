// Which packet comes next: a fresh one of some key, or a copy of an earlier one, at which time, in which frame.
#include "random_traffic.h"

#include <algorithm>
#include <optional>

#include "frame_draft.h"
#include "ip_draft.h"
#include "pcap_writer.h"
#include "put_bytes.h"
#include "reference_random.h"
#include "tcp_talker.h"
#include "traffic_clock.h"
#include "tunnel_draft.h"

namespace reference {
namespace {

constexpr uint8_t tcp = 6, fragment_header = 44, no_next_header = 59;

// Two endpoints with a direction.
struct Pair {
  bool ip6 = false;
  Address source{};
  Address destination{};
  uint16_t source_port = 0;
  uint16_t destination_port = 0;
  uint16_t vlan = 0;
  KeyTimes times;
  TcpTalker talker;
};

// A frame that was written, kept for copies.
struct Sent {
  int64_t time = 0;
  std::optional<IpPacket> packet;  // none: nothing worth a copy
  size_t pair = 0;
};

bool is_ip6(const IpPacket& packet) { return !packet.bytes.empty() && packet.bytes[0] >> 4 == 6; }

bool is_tcp(const IpPacket& packet) { return packet.bytes.size() >= 40 && packet.bytes[is_ip6(packet) ? 6 : 9] == tcp; }

class Traffic {
 public:
  explicit Traffic(const TrafficShape& shape)
      : shape_(shape), random_(shape.seed), clock_(random_, shape_), pcap_(shape_) {
    for (uint32_t i = 0; i < std::max(1u, shape_.keys); ++i) pairs_.push_back(random_pair());
  }

  std::vector<uint8_t> run() {
    while (sent_.size() < shape_.packets) {
      // No draw where nothing is to be resent: the traffic of such shapes shall stay what it was before there were any.
      if (!sent_.empty() && shape_.resend_percent > 0 && random_.percent(shape_.resend_percent)) resend();
      else if (!sent_.empty() && random_.percent(shape_.copy_percent)) copy();
      else fresh();
    }
    std::vector<uint8_t> file = pcap_.file();
    if (shape_.cut_file && !sent_.empty())
      file.resize(pcap_.last_record() + 1 + random_.below(file.size() - pcap_.last_record() - 1));
    return file;
  }

 private:
  Pair random_pair();
  Address random_address(bool ip6);
  size_t pick_pair();

  void fresh();
  void copy();
  std::optional<size_t> pick_earlier();
  void nearly(IpPacket& packet);
  void resend();
  std::optional<size_t> pick_resent();
  void renumber(IpPacket& packet);
  IpDraft draft(Pair& pair);
  void draft_other(IpDraft& draft, const Pair& pair);
  void vary(IpDraft& draft);
  IpPacket packet(IpDraft draft);
  IpPacket in_tunnels(IpPacket packet);
  void send(int64_t time, size_t pair, std::optional<IpPacket> packet, FrameDraft frame);

  const TrafficShape shape_;
  Random random_;
  TrafficClock clock_;
  PcapWriter pcap_;
  std::vector<Pair> pairs_;
  size_t bursting_ = 0;  // the pair whose turn a burst makes it
  std::vector<Sent> sent_;
};

Address Traffic::random_address(bool ip6) {
  const auto last = static_cast<uint8_t>(random_.pick({0, 1, 2, 255}));
  if (!ip6) return {random_.pick<uint8_t>({0, 10, 192, 255}), 0, 0, last};
  Address address{};
  address[15] = last;
  switch (random_.below(4)) {
    case 0: address[0] = 0x20, address[1] = 0x01, address[2] = 0x0d, address[3] = 0xb8; break;
    case 1: address[10] = address[11] = 0xff; break;  // an IPv4 address in IPv6
    case 2: address.fill(0xff), address[15] = last; break;
    default: break;
  }
  return address;
}

Pair Traffic::random_pair() {
  bool ip6 = random_.percent(35);
  if (shape_.link == 228) ip6 = false;
  if (shape_.link == 229) ip6 = true;
  const Address source = random_address(ip6), destination = random_address(ip6);
  const auto source_port = random_.pick<uint16_t>({0, 1, 80, 40000, 65535});
  const auto destination_port = random_.pick<uint16_t>({0, 80, 80, 443, 65535});
  const auto vlan = random_.pick<uint16_t>({0, 0, 1, 4095});
  const KeyTimes times{clock_.now(), clock_.now()};
  return {ip6, source, destination, source_port, destination_port, vlan, times, TcpTalker(random_, shape_)};
}

size_t Traffic::pick_pair() {
  if (pairs_[bursting_].talker.in_burst() && random_.percent(90)) return bursting_;
  const size_t chosen = random_.below(pairs_.size());
  if (pairs_[chosen].talker.in_burst()) bursting_ = chosen;
  return chosen;
}

void Traffic::fresh() {
  const size_t chosen = pick_pair();
  Pair& pair = pairs_[chosen];
  const bool damaged = random_.percent(shape_.damage_percent);
  const bool last = sent_.size() + 1 == shape_.packets;
  if (last && random_.percent(30)) clock_.to_idle_border(random_.pick(pairs_).times);
  const int64_t time = last ? clock_.now() : clock_.next(pair.times);
  if (damaged && random_.percent(20)) {
    send(time, chosen, {}, frame_without_ip(shape_.link, random_));
    return;
  }
  IpPacket made = packet(draft(pair));
  if (damaged && random_.percent(60)) damage_packet(made, random_);
  if (shape_.tunnel_percent > 0 && random_.percent(shape_.tunnel_percent)) made = in_tunnels(std::move(made));
  FrameDraft frame = to_frame(made, shape_.link, pair.vlan, random_);
  if (shape_.flip_percent > 0 && random_.percent(shape_.flip_percent)) flip_bits(frame, random_);
  if (damaged && random_.percent(60)) cut_frame(frame, random_);
  if (shape_.huge_lengths && random_.percent(3)) frame.original = random_.pick({~0u, 1u << 31, 1u << 30, 5'000'000u});
  send(time, chosen, std::move(made), std::move(frame));
}

// A distance in packet numbers around the borders of the window, and a packet that old.
std::optional<size_t> Traffic::pick_earlier() {
  const uint64_t window = shape_.duplicate_window;
  const uint64_t distance = random_.pick<uint64_t>({1, 1, 1, 2, 3, 1 + random_.below(20), 1 + random_.below(1100),
                                                    std::max<uint64_t>(window, 2) - 1, window, window + 1});
  if (distance == 0 || distance > sent_.size()) return {};
  const size_t index = sent_.size() - distance;
  if (!sent_[index].packet) return {};
  return index;
}

void Traffic::copy() {
  const auto index = pick_earlier();
  if (!index) return fresh();
  const int64_t earlier = sent_[*index].time;
  const size_t pair = sent_[*index].pair;
  IpPacket copied = *sent_[*index].packet;
  const int64_t gap = random_.percent(50) ? shape_.duplicate_gap : shape_.duplicate_gap_anonymous;
  const int64_t distance = random_.pick<int64_t>({0, 0, 1, 1000, gap - 1, gap, gap, gap + 1});
  const bool back = shape_.time_runs_back && random_.percent(30);
  clock_.move_to(back ? earlier - distance : earlier + distance);
  if (random_.percent(20) && copied.bytes.size() >= 20)
    copied.bytes[is_ip6(copied) ? 7 : 8] -= 1;  // a router on the way
  if (random_.percent(10)) nearly(copied);
  FrameDraft frame = to_frame(copied, shape_.link, pairs_[pair].vlan, random_);
  if (random_.percent(8)) cut_frame(frame, random_);
  send(clock_.now(), pair, std::move(copied), std::move(frame));
}

// Another packet, by one bit: of the IPv4 length, id or fragment offset, of TCP options, at the borders of what is
// compared of others, or anywhere.
void Traffic::nearly(IpPacket& packet) {
  if (packet.bytes.size() < 20) return;
  const size_t payload_at = is_ip6(packet) ? 40 : 20;
  const size_t anywhere = random_.below(packet.bytes.size());
  const size_t behind_ip = payload_at + random_.pick<size_t>({20 + random_.below(40), 63, 64, 127, 128});
  size_t at = random_.pick<size_t>({3, 5, 7, anywhere, behind_ip, behind_ip});
  if (at >= packet.bytes.size()) at = anywhere;
  packet.bytes[at] ^= static_cast<uint8_t>(1u << random_.below(8));
}

// A distance in packet numbers around one and two memory blocks, and a TCP packet that old.
std::optional<size_t> Traffic::pick_resent() {
  const uint64_t block = shape_.block;
  for (int tries = 8; tries > 0; --tries) {
    const uint64_t distance = random_.pick<uint64_t>({1, 1 + random_.below(20), 1 + random_.below(sent_.size()),
                                                      std::max<uint64_t>(block, 2) - 1, block, block + 1, 2 * block,
                                                      2 * block + 1, 1 + random_.below(2 * block + 1)});
    if (distance == 0 || distance > sent_.size()) continue;
    const size_t index = sent_.size() - distance;
    if (sent_[index].packet && is_tcp(*sent_[index].packet)) return index;
  }
  return {};
}

void Traffic::resend() {
  const auto index = pick_resent();
  if (!index) return fresh();
  const int64_t earlier = sent_[*index].time;
  const size_t pair = sent_[*index].pair;
  IpPacket resent = *sent_[*index].packet;
  renumber(resent);
  const bool at_the_gap = shape_.retransmission_gap > 0 && random_.percent(40);
  if (at_the_gap) clock_.move_to(earlier + shape_.retransmission_gap + random_.pick<int64_t>({-1, 0, 0, 1}));
  const int64_t time = at_the_gap ? clock_.now() : clock_.next(pairs_[pair].times);
  FrameDraft frame = to_frame(resent, shape_.link, pairs_[pair].vlan, random_);
  send(time, pair, std::move(resent), std::move(frame));
}

// What no copy of a packet has: another IPv4 id, or (no extension headers) another acknowledgement.
void Traffic::renumber(IpPacket& packet) {
  if (!is_ip6(packet)) packet.bytes[4] = static_cast<uint8_t>(random_.bits());
  else if (packet.bytes.size() >= 52) packet.bytes[51] = static_cast<uint8_t>(random_.bits());
}

IpDraft Traffic::draft(Pair& pair) {
  IpDraft draft;
  draft.ip6 = pair.ip6;
  draft.source = pair.source;
  draft.destination = pair.destination;
  draft.id = random_.percent(20) ? 0 : static_cast<uint16_t>(random_.percent(30) ? random_.below(3) : random_.bits());
  if (pair.talker.in_burst() || random_.percent(shape_.tcp_percent)) {
    const SegmentDraft segment = pair.talker.next();
    draft.protocol = tcp;
    draft.payload = tcp_bytes(segment, pair.source_port, pair.destination_port, random_);
    draft.payload_length = segment.payload + (draft.payload[12] >> 4) * 4u;
  } else {
    draft_other(draft, pair);
  }
  vary(draft);
  return draft;
}

void Traffic::draft_other(IpDraft& draft, const Pair& pair) {
  draft.protocol = random_.pick<uint8_t>({1, 58, 17, 17, 136, 132, 33, 47, 4, 41, 50, 51, 89, 255, no_next_header});
  const bool is_icmp = draft.protocol == 1 || draft.protocol == 58;
  put(draft.payload, is_icmp ? random_.pick({0x0800, 0x0000, 0x0303, 0x8000}) : pair.source_port, 2);
  put(draft.payload, random_.percent(10) ? 4789 : pair.destination_port, 2);
  const uint64_t more = random_.pick({0, 4, 8, 59, 60, 61, 100, 123, 124, 125, 200});
  while (draft.payload.size() < 4 + more) put(draft.payload, 'x', 1);
  if (draft.payload.size() >= 8 && random_.percent(50)) draft.payload[6] = draft.payload[7] = 0;  // no checksum of UDP
  if (random_.percent(30)) draft.payload.back() = static_cast<uint8_t>(random_.below(3));
  if (random_.percent(10)) draft.payload.resize(random_.below(5));
  draft.payload_length = static_cast<uint32_t>(draft.payload.size());
}

// Options, extension headers, fragments, lengths of 0.
void Traffic::vary(IpDraft& draft) {
  if (!draft.ip6 && random_.percent(8)) draft.options.assign(random_.pick({4u, 8u, 40u}), 1);
  if (draft.ip6 && random_.percent(20))
    for (uint64_t i = random_.below(4); i > 0; --i)
      draft.extensions.push_back(random_.pick<uint8_t>({0, 43, 60, 51, 135, 139, 140, fragment_header}));
  if (random_.percent(5)) {
    draft.more_fragments = random_.percent(70);
    draft.fragment_offset = random_.percent(40) ? 0 : static_cast<uint16_t>(random_.pick({1, 2, 185, 8191}));
    if (draft.ip6) draft.extensions.push_back(fragment_header);
    if (draft.more_fragments && random_.percent(30)) draft.payload_length &= ~7u;
  }
  if (random_.percent(3)) {
    draft.length_zero = true;
    if (random_.percent(50)) draft.payload_length += static_cast<uint32_t>(random_.below(200'000));
  }
}

IpPacket Traffic::packet(IpDraft draft) {
  if (!draft.length_zero) draft.payload_length = std::min(draft.payload_length, 65'000u);
  return to_bytes(draft, random_);
}

IpPacket Traffic::in_tunnels(IpPacket packet) {
  for (uint64_t more = random_.pick({1, 1, 1, 2, 2, 3, 7, 8, 9, 10}); more > 0; --more) {
    bool ip6 = random_.percent(30);
    if (more == 1 && shape_.link == 228) ip6 = false;
    if (more == 1 && shape_.link == 229) ip6 = true;
    packet = in_tunnel(packet, ip6, shape_.ports, random_);
  }
  return packet;
}

void Traffic::send(int64_t time, size_t pair, std::optional<IpPacket> packet, FrameDraft frame) {
  const int64_t written = pcap_.written(time);
  pcap_.frame(written, frame.bytes, frame.original);
  sent_.push_back({written, std::move(packet), pair});
  KeyTimes& times = pairs_[pair].times;
  const bool idle = shape_.idle_timeout != 0 && written - times.end > shape_.idle_timeout;
  const bool active = shape_.active_timeout != 0 && written - times.start >= shape_.active_timeout;
  if (idle || active) times = {written, written};
  times.start = std::min(times.start, written);
  times.end = std::max(times.end, written);
}

}  // namespace

std::vector<uint8_t> random_traffic(const TrafficShape& shape) { return Traffic(shape).run(); }

}  // namespace reference
