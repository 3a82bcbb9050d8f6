#include "coalesce_traffic.h"

#include <algorithm>

#include "put_bytes.h"

namespace reference {
namespace {

constexpr uint8_t push_flag = 8, ack_flag = 16;

uint32_t sum_of(const std::vector<uint8_t>& bytes, size_t from, size_t size) {
  uint32_t sum = 0;
  for (size_t i = 0; i < size; ++i) sum += i % 2 ? bytes[from + i] : bytes[from + i] * 256u;
  return sum;
}

void put_complement(std::vector<uint8_t>& bytes, size_t at, uint32_t sum) {
  while (sum > 0xffff) sum = sum % 0x10000 + sum / 0x10000;
  bytes[at] = static_cast<uint8_t>((0xffff - sum) >> 8);
  bytes[at + 1] = static_cast<uint8_t>(0xffff - sum);
}

// What the packets of a direction look like, until something changes.
struct Sender {
  bool ip6 = false, tagged = false, stamps = false;
  uint32_t link = 1;
  uint8_t number = 0, service = 0, ttl = 64, flags = ack_flag;
  uint16_t id = 0, window = 1000;
  uint32_t sequence = 0, acknowledged = 0, stamp = 0;
  size_t usual = 100;  // bytes of payload
};

struct Draft {
  uint32_t sequence;
  std::vector<uint8_t> payload;
  uint8_t flags;
};

void put_link(std::vector<uint8_t>& out, const Sender& s) {
  if (s.link == 101) return;
  put(out, 0x0200000000000000u + s.number, 8);
  put(out, 0x01000200, 4);
  if (s.tagged) put(out, 0x81000007, 4);
  put(out, s.ip6 ? 0x86dd : 0x0800, 2);
}

// `told`: whether the header says how long the packet is.
void put_ip(std::vector<uint8_t>& out, Sender& s, size_t length, bool told, bool cut_up, size_t options) {
  if (s.ip6) {
    put(out, 0x60000000u | s.service << 20 | s.number, 4);
    put(out, told ? length : 0, 2);
    put(out, 6, 1);
    put(out, s.ttl, 1);
    for (const int end : {1, 2}) {
      put(out, 0x20010db8, 4);
      put(out, 0, 10);
      put(out, static_cast<uint64_t>(end * 100 + s.number), 2);
    }
    return;
  }
  put(out, 0x45 + options / 4, 1);
  put(out, s.service, 1);
  put(out, told ? 20 + options + length : 0, 2);
  put(out, s.id++, 2);
  put(out, cut_up ? 0x2000 : 0x4000, 2);
  put(out, s.ttl, 1);
  put(out, 6, 1);
  put(out, 0, 2);
  put(out, 0x0a000001, 4);
  put(out, 0x0a000100u + s.number, 4);
  put(out, std::vector<uint8_t>(options, 1));
}

// With right checksums.
std::vector<uint8_t> to_bytes(Sender& s, const Draft& draft, Random& random) {
  std::vector<uint8_t> out;
  put_link(out, s);
  const size_t ip = out.size(), options = !s.ip6 && random.percent(1) ? 4 : 0;
  const size_t more = s.stamps ? 12 : random.percent(2) ? 8 : 0;
  put_ip(out, s, 20 + more + draft.payload.size(), !random.percent(1), random.percent(1), options);
  const size_t tcp = out.size();
  put(out, 0x9c400050u + s.number, 4);
  put(out, draft.sequence, 4);
  put(out, s.acknowledged += random.below(3) * 100, 4);
  put(out, (5 + more / 4) << 12 | draft.flags, 2);
  put(out, s.window += static_cast<uint16_t>(random.below(3)), 2);
  put(out, 0, 4);
  if (more == 12) {
    put(out, random.percent(2) ? 0x0101050a : 0x0101080a, 4);
    put(out, ++s.stamp, 8);
  } else {
    put(out, std::vector<uint8_t>(more, 1));
  }
  put(out, draft.payload);
  const size_t segment = out.size() - tcp;
  const uint32_t addresses = s.ip6 ? sum_of(out, ip + 8, 32) : sum_of(out, ip + 12, 8);
  put_complement(out, tcp + 16, addresses + 6 + static_cast<uint32_t>(segment) + sum_of(out, tcp, segment));
  if (!s.ip6) put_complement(out, ip + 10, sum_of(out, ip, 20 + options));
  return out;
}

class Traffic {
 public:
  explicit Traffic(uint64_t seed) : random_(seed) {
    const size_t senders = 1 + random_.below(6);
    const bool few_faults = random_.percent(40);
    faults_ = few_faults ? 1 : 6;
    for (size_t i = 0; i < senders; ++i) {
      Sender s;
      s.number = static_cast<uint8_t>(i);
      s.ip6 = random_.percent(30);
      s.tagged = random_.percent(20);
      s.stamps = random_.percent(40);
      s.link = random_.percent(15) ? 101 : 1;
      s.sequence =
          random_.percent(30) ? 0u - static_cast<uint32_t>(random_.below(5000)) : static_cast<uint32_t>(random_.bits());
      s.usual = random_.pick({size_t{1}, size_t{7}, size_t{100}, size_t{536}, size_t{1448}, size_t{9000}});
      senders_.push_back(s);
    }
  }

  DraftedFrame next() {
    pass_time();
    DraftedFrame frame;
    frame.time = time_;
    Sender& s = senders_[random_.below(senders_.size())];
    frame.link = s.link;
    if (random_.percent(2)) {
      frame.bytes.assign(random_.below(60), static_cast<uint8_t>(random_.bits()));
    } else {
      frame.bytes = to_bytes(s, draft(s), random_);
      spoil(frame.bytes);
    }
    frame.original = static_cast<uint32_t>(frame.bytes.size() + (random_.percent(faults_) ? random_.below(9) : 0));
    return frame;
  }

 private:
  void pass_time() {
    if (random_.percent(2)) time_ -= static_cast<int64_t>(random_.below(100'000'000));
    else if (random_.percent(3)) time_ += static_cast<int64_t>(random_.below(1'000'000'000));
    else time_ += static_cast<int64_t>(random_.below(100'000));
  }

  std::vector<uint8_t> payload(const Sender& s) {
    const size_t size = random_.percent(70) ? s.usual : 1 + random_.below(random_.percent(3) ? 60'000 : 2'000);
    std::vector<uint8_t> bytes(size);
    uint8_t value = static_cast<uint8_t>(random_.bits());
    const bool zeros = random_.percent(10);
    for (uint8_t& byte : bytes) byte = zeros ? 0 : value = static_cast<uint8_t>(value * 5 + 1);
    return bytes;
  }

  Draft draft(Sender& s) {
    change(s);
    Draft d{s.sequence, payload(s), static_cast<uint8_t>(s.flags | (random_.percent(8) ? push_flag : 0))};
    if (random_.percent(4)) d.payload.clear();
    if (random_.percent(1)) d.flags = static_cast<uint8_t>(random_.bits());
    const auto size = static_cast<uint32_t>(d.payload.size());
    const uint64_t way = random_.below(100);
    if (way < faults_) d.sequence -= static_cast<uint32_t>(random_.below(3'000));                               // again
    else if (way < 2 * faults_) s.sequence = d.sequence += static_cast<uint32_t>(random_.below(3'000)) + size;  // lost
    else if (way < 3 * faults_ && !late_.empty()) std::swap(d, late_.front());  // out of order
    else if (way < 4 * faults_ && random_.percent(5)) d.sequence += 1 << 20 | 1 << random_.below(32);
    else if (way < 5 * faults_) late_.push_back(d);  // one that others will find ahead, or again
    s.sequence = std::max<int32_t>(0, static_cast<int32_t>(d.sequence + size - s.sequence)) + s.sequence;
    if (late_.size() > 3) late_.clear();
    return d;
  }

  void change(Sender& s) {
    if (!random_.percent(faults_)) return;
    switch (random_.below(5)) {
      case 0: s.service = static_cast<uint8_t>(random_.below(4)); break;
      case 1: s.ttl = static_cast<uint8_t>(60 + random_.below(3)); break;
      case 2: s.flags ^= 64; break;  // ECE
      case 3: s.stamps = !s.stamps; break;
      default: s.usual = random_.pick({size_t{1}, size_t{3}, size_t{1000}, size_t{1448}}); break;
    }
  }

  // Wrong bits, an end that was not captured, padding.
  void spoil(std::vector<uint8_t>& bytes) {
    if (random_.percent(faults_)) bytes[random_.below(bytes.size())] ^= static_cast<uint8_t>(1 << random_.below(8));
    if (random_.percent(1)) bytes.resize(random_.below(bytes.size() + 1));
    if (random_.percent(10)) bytes.insert(bytes.end(), random_.below(10), 0xee);
  }

  Random random_;
  uint64_t faults_ = 0;
  int64_t time_ = 1'700'000'000'000'000'000;
  std::vector<Sender> senders_;
  std::vector<Draft> late_;
};

}  // namespace

std::vector<DraftedFrame> coalesce_traffic(uint64_t seed, size_t frames) {
  Traffic traffic(seed);
  std::vector<DraftedFrame> drafted;
  for (size_t i = 0; i < frames; ++i) drafted.push_back(traffic.next());
  return drafted;
}

}  // namespace reference
