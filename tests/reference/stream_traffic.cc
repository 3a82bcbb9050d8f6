// Talk into frames.
#include "stream_traffic.h"

#include <algorithm>
#include <optional>

#include "frame_draft.h"
#include "ip_draft.h"
#include "link.h"
#include "pcap_writer.h"
#include "put_bytes.h"
#include "reference_random.h"
#include "tunnel_draft.h"

namespace reference {
namespace {

constexpr int64_t one_second = 1'000'000'000;

struct Conversation {
  bool ip6 = false;
  std::array<Endpoint, 2> ends;
  uint16_t vlan = 0;
  int64_t latest = 0;
  StreamTalker talker;
};

TrafficShape file_shape(const StreamShape& shape) {
  TrafficShape file;
  file.link = shape.link;
  return file;
}

class StreamTraffic {
 public:
  explicit StreamTraffic(const StreamShape& shape) : shape_(shape), random_(shape.seed), pcap_(file_shape(shape)) {
    for (uint32_t i = 0; i < shape.conversations; ++i) conversations_.push_back(conversation());
  }

  std::vector<uint8_t> run() {
    for (uint32_t i = 0; i < shape_.packets; ++i) {
      if (latest_frame_ && random_.percent(2)) write(*latest_frame_);
      else fresh();
    }
    return pcap_.file();
  }

 private:
  Conversation conversation();
  Endpoint endpoint(bool ip6);
  void fresh();
  void tick(Conversation& conversation);
  IpDraft draft(Conversation& conversation);
  IpDraft other(Conversation& conversation);
  void cut_up(IpDraft& made);
  void write(const FrameDraft& frame);

  const StreamShape shape_;
  Random random_;
  PcapWriter pcap_;
  int64_t now_ = 1'700'000'000 * one_second;
  int64_t shown_ = now_;  // of the next frame
  std::vector<Conversation> conversations_;
  std::optional<FrameDraft> latest_frame_;
};

// Of so few that ends meet: equal ports, one address at both, several connections between two hosts.
Endpoint StreamTraffic::endpoint(bool ip6) {
  const auto last = static_cast<uint8_t>(random_.pick({1, 1, 2, 200}));
  Endpoint end;
  end.address[0] = ip6 ? 0x20 : 10;
  end.address[ip6 ? 15 : 3] = last;
  end.port = random_.pick<uint16_t>({0, 80, 80, 443, 40000, 65535});
  return end;
}

Conversation StreamTraffic::conversation() {
  bool ip6 = random_.percent(35);
  if (shape_.link == 228) ip6 = false;
  if (shape_.link == 229) ip6 = true;
  const Endpoint first = endpoint(ip6), second = endpoint(ip6);
  return {ip6, {first, second}, random_.pick<uint16_t>({0, 0, 1, 4095}), now_, StreamTalker(random_, shape_.habits)};
}

void StreamTraffic::tick(Conversation& conversation) {
  const int64_t timeout = shape_.timeout ? shape_.timeout : 64 * one_second;
  now_ += random_.pick<int64_t>({0, 1, 1000, 50'000, 1'000'000, 1'000'001});
  if (random_.percent(shape_.silence_percent)) {
    const int64_t border = conversation.latest + timeout + random_.pick<int64_t>({-1, 0, 1});
    now_ = std::max(now_, random_.percent(80) ? border : now_ + timeout / 2);
  }
  shown_ = now_;
  if (shape_.time_runs_back && random_.percent(5))
    shown_ -= random_.pick<int64_t>({1, 1000, 2'000'000, timeout, timeout + 1, 3 * timeout});
  if (shape_.time_runs_back && random_.percent(2)) now_ = shown_;
  conversation.latest = std::max(conversation.latest, shown_);
}

void StreamTraffic::fresh() {
  Conversation& chosen = conversations_[random_.below(conversations_.size())];
  tick(chosen);
  const bool damaged = random_.percent(shape_.damage_percent);
  if (damaged && random_.percent(20)) return write(frame_without_ip(shape_.link, random_));
  const bool is_other = shape_.other_percent > 0 && random_.percent(shape_.other_percent);
  IpPacket packet = to_bytes(is_other ? other(chosen) : draft(chosen), random_);
  if (damaged && random_.percent(40)) damage_packet(packet, random_);
  for (int depth = 0; depth < 3 && random_.percent(shape_.tunnel_percent); ++depth)
    packet =
        in_tunnel(packet, shape_.link == 229 || (shape_.link != 228 && random_.percent(30)), usual_ports(), random_);
  FrameDraft frame = to_frame(packet, shape_.link, chosen.vlan, random_);
  if (damaged && random_.percent(40)) cut_frame(frame, random_);
  if (damaged && random_.percent(20)) flip_bits(frame, random_);
  latest_frame_ = frame;
  write(frame);
}

void StreamTraffic::write(const FrameDraft& frame) { pcap_.frame(shown_, frame.bytes, frame.original); }

// Now and then a part of a datagram.
void StreamTraffic::cut_up(IpDraft& made) {
  if (!random_.percent(2)) return;
  made.more_fragments = random_.percent(70);
  made.fragment_offset = random_.percent(50) ? 0 : 185;
  if (made.ip6) made.extensions.push_back(44);
}

// Datagrams, messages of ICMP, and what has ports at the same place.
IpDraft StreamTraffic::other(Conversation& conversation) {
  const size_t sender = random_.below(2);
  const Endpoint &from = conversation.ends[sender], &to = conversation.ends[1 - sender];
  IpDraft made;
  made.ip6 = conversation.ip6;
  made.source = from.address;
  made.destination = to.address;
  made.protocol = random_.pick<uint8_t>({17, 17, 17, 17, 1, 58, 132});
  made.id = static_cast<uint16_t>(random_.bits());
  std::vector<uint8_t> text;
  const auto say = [&](const std::string& word) { text.insert(text.end(), word.begin(), word.end()); };
  if (!shape_.habits.heads.empty() && random_.percent(60)) say(random_.pick(shape_.habits.heads));
  for (uint64_t i = random_.below(6); i > 0 && !shape_.habits.words.empty(); --i)
    say(random_.pick(shape_.habits.words));
  const bool is_icmp = made.protocol == 1 || made.protocol == 58;
  put(made.payload, is_icmp ? random_.pick({0x0800, 0x0000, 0x8000}) : from.port, 2);
  put(made.payload, to.port, 2);
  put(made.payload, 8 + text.size(), 2);
  put(made.payload, 0, 2);
  put(made.payload, text);
  if (random_.percent(5)) made.payload.resize(random_.below(9));
  made.payload_length = static_cast<uint32_t>(made.payload.size());
  if (random_.percent(5)) made.payload.resize(random_.below(made.payload.size() + 1));
  cut_up(made);
  return made;
}

IpDraft StreamTraffic::draft(Conversation& conversation) {
  const TalkDraft talk = conversation.talker.next();
  const Endpoint &from = conversation.ends[talk.sender], &to = conversation.ends[1 - talk.sender];
  IpDraft made;
  made.ip6 = conversation.ip6;
  made.source = from.address;
  made.destination = to.address;
  made.protocol = 6;
  made.id = static_cast<uint16_t>(random_.bits());
  const uint64_t words = random_.pick({5, 5, 5, 8, 15});
  put(made.payload, from.port, 2);
  put(made.payload, to.port, 2);
  put(made.payload, talk.sequence, 4);
  put(made.payload, talk.acknowledgement, 4);
  put(made.payload, words << 4, 1);
  put(made.payload, talk.flags, 1);
  put(made.payload, 0x2000, 2);
  put(made.payload, 0, 4);
  while (made.payload.size() < words * 4) put(made.payload, 1, 1);
  put(made.payload, talk.payload);
  made.payload_length = static_cast<uint32_t>(made.payload.size());
  made.payload.resize(made.payload.size() - talk.uncaptured);
  if (!made.ip6 && random_.percent(4)) made.options.assign(8, 1);
  if (made.ip6 && random_.percent(4)) made.extensions.push_back(60);
  cut_up(made);
  return made;
}

}  // namespace

std::vector<uint8_t> stream_traffic(const StreamShape& shape) { return StreamTraffic(shape).run(); }

StreamCase stream_case(uint64_t seed) {
  Random random(seed ^ 0x73747265616d);  // not the draws of the traffic itself
  StreamCase made;
  StreamOptions& options = made.options;
  options.block_size = random.pick({1024, 1024, 1024, 2000, 4096, 16384, 262144});
  options.timeout = random.pick<int64_t>({0, 1, 1, 1, 64}) * one_second;
  options.gap_packets = random.pick({1, 2, 8, 8, 8, 20});
  options.decapsulate = random.percent(20);
  StreamShape& shape = made.shape;
  shape.seed = seed;
  shape.packets = random.pick({20u, 60u, 200u, 200u, 600u});
  shape.conversations = random.pick({1u, 1u, 2u, 3u, 8u, 40u});
  shape.link = random.percent(70) ? 1 : known_links[random.below(known_links.size())];
  shape.timeout = options.timeout;
  shape.silence_percent = random.pick({0u, 1u, 4u});
  shape.damage_percent = random.pick({0u, 0u, 5u});
  shape.tunnel_percent = options.decapsulate ? random.pick({0u, 50u, 90u}) : random.pick({0u, 0u, 5u});
  shape.time_runs_back = random.percent(30);
  TalkHabits& habits = shape.habits;
  habits.odd_percent = random.pick({0u, 5u, 20u, 60u});
  habits.hold_percent = random.pick({0u, 10u, 40u, 70u});
  habits.lose_percent = random.pick({0u, 1u, 10u});
  habits.cut_percent = random.pick({0u, 0u, 5u, 40u});
  habits.longest = random.pick({5u, 40u, 300u, 1460u});
  habits.restart_percent = random.pick({0u, 1u, 5u});
  return made;
}

}  // namespace reference
