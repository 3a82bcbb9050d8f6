#include "coalesce_oracle.h"

#include <algorithm>

#include "link.h"

namespace reference {
namespace {

constexpr uint8_t fin = 1, syn = 2, rst = 4, psh = 8, ack = 16, urg = 32, cwr = 128, tcp_protocol = 6;
constexpr int64_t most_payload = 65'435, most_ahead = 1 << 20;

// One's complement, byte by byte: those at even places count 256.
class Sum {
 public:
  void add(std::span<const uint8_t> bytes) {
    for (size_t i = 0; i < bytes.size(); ++i) total_ += i % 2 ? bytes[i] : bytes[i] * 256u;
  }
  void add(uint64_t number) { total_ += number; }
  uint16_t value() const {
    uint64_t left = total_;
    while (left > 0xffff) left = left % 0x10000 + left / 0x10000;
    return static_cast<uint16_t>(left);
  }

 private:
  uint64_t total_ = 0;
};

void put16(std::vector<uint8_t>& bytes, int64_t at, int64_t value) {
  bytes[static_cast<size_t>(at)] = static_cast<uint8_t>(value >> 8);
  bytes[static_cast<size_t>(at) + 1] = static_cast<uint8_t>(value);
}

int64_t addresses_at(int version, int64_t ip) { return version == 4 ? ip + 12 : ip + 8; }
int64_t addresses_size(int version) { return version == 4 ? 8 : 32; }
int64_t header_size(int version) { return version == 4 ? 20 : 40; }

// Of a whole segment at the end of `bytes`.
uint16_t tcp_sum(const Bytes& bytes, int version, int64_t ip, int64_t tcp, int64_t size) {
  Sum sum;
  sum.add(bytes.slice(addresses_at(version, ip), addresses_size(version)));
  sum.add(tcp_protocol);
  sum.add(static_cast<uint64_t>(size));
  sum.add(bytes.slice(tcp, size));
  return sum.value();
}

}  // namespace

bool CoalesceOracle::is_right(const Bytes& bytes, const IpPlace& place, const IpHeader& ip) const {
  Sum header;
  header.add(bytes.slice(place.at, 20));
  if (place.version == 4 && header.value() != 0xffff) return false;
  return tcp_sum(bytes, place.version, place.at, ip.payload_at, ip.payload_length) == 0xffff;
}

// "" where it may be joined.
std::string CoalesceOracle::why_it_passes(const Frame& frame, const WalkedFrame& walked, const IpPlace& place,
                                          const IpHeader& ip, Piece& piece) const {
  const Bytes& b = walked.bytes;
  if (ip.payload_at != place.at + header_size(place.version)) return "ip_options";
  if (place.version == 4 && b.u16(place.at + 6) & 0x3fff) return "fragment";
  if (ip.payload_captured < ip.payload_length || ip.length > 0xffff) return "cut_short";
  if (ip.payload_length < 20) return "malformed";
  const int64_t words = b.u8(ip.payload_at + 12) >> 4;
  if (words < 5 || words * 4 > ip.payload_length) return "malformed";
  if (b.u16(place.at + (place.version == 4 ? 2 : 4)) == 0) return "no_length";
  if (rules_.verify && !is_right(b, place, ip)) return "bad_checksum";
  if (words * 4 == ip.payload_length) return "no_payload";
  const uint8_t flags = b.u8(ip.payload_at + 13);
  if ((flags & (fin | syn | rst | urg | cwr)) != 0 || (flags & ack) == 0) return "flags";
  if (words != 5 && !(words == 8 && b.matches(ip.payload_at + 20, {1, 1, 8, 10}))) return "tcp_options";
  const auto whole = b.slice(0, place.at + ip.length);
  piece = {number_,
           frame.time,
           {whole.begin(), whole.end()},
           place.at,
           ip.payload_at,
           ip.payload_at + words * 4,
           place.version,
           b.u32(ip.payload_at + 4)};
  return "";
}

void CoalesceOracle::pass(const Frame& frame, const std::string& why) {
  ++counts_["pass " + why];
  const auto whole = frame.bytes.slice(0, frame.bytes.size());
  out_.push_back({number_, 0, frame.time, {whole.begin(), whole.end()}, frame.original, 1});
}

void CoalesceOracle::take(const Frame& frame) {
  ++number_;
  std::optional<Way> way;
  std::string why = "not_ip";
  Piece piece;
  WalkedFrame walked(frame);
  try {
    const IpPlace place = find_ip(frame.link, walked);
    const IpHeader ip = read_ip(walked, place);
    why = "no_tcp";
    if (ip.protocol == tcp_protocol) {
      if (ip.fragment_offset == 0 && ip.payload_captured >= 4) {
        const Bytes& b = walked.bytes;
        way = Way{ip.version, ip.source, ip.destination, b.u16(ip.payload_at), b.u16(ip.payload_at + 2)};
      }
      why = why_it_passes(frame, walked, place, ip, piece);
    }
  } catch (const IgnoredFrame&) {
  } catch (const SeveralFrames&) {
  }
  const auto known = way ? ways_.find(*way) : ways_.end();
  if (known != ways_.end() && passed_ - known->second.passed > rules_.window) flush(known->second, "memory");
  if (why.empty()) {
    if (!arrive(*way, piece)) pass(frame, "repeated");
  } else {
    if (known != ways_.end()) {
      flush(known->second, "passing_packet");
      if (why == "flags") {
        ways_.erase(known);
        recent_.remove(*way);
      }
    }
    pass(frame, why);
  }
  passed_ += frame.bytes.size() + 16;
}

CoalesceOracle::OneWay& CoalesceOracle::meet(const Way& way, int64_t time) {
  if (!ways_.contains(way)) {
    if (ways_.size() >= rules_.descriptors) {
      flush(ways_.at(recent_.front()), "memory");
      ways_.erase(recent_.front());
      recent_.pop_front();
    }
    ways_[way].last = time;
  } else {
    OneWay& one = ways_.at(way);
    const __int128 silence = __int128{time} - one.last;
    if (silence > __int128{one.average.value_or(rules_.interval)} * 10) flush(one, "timeout");
    const int64_t interval = silence < 0 ? 0 : static_cast<int64_t>(silence);
    one.average = one.average ? static_cast<int64_t>((__int128{*one.average} + interval) / 2) : interval;
    if (time > one.last) one.last = time;
    recent_.remove(way);
  }
  recent_.push_back(way);
  return ways_.at(way);
}

// False: it is not taken.
bool CoalesceOracle::arrive(const Way& way, const Piece& piece) {
  OneWay& one = meet(way, piece.time);
  int64_t begin = piece.sequence;
  if (one.next) {
    const int64_t ahead = static_cast<int32_t>(piece.sequence - static_cast<uint32_t>(*one.next));
    begin = *one.next + ahead;
    const auto covers = [&](const auto& entry) {
      return entry.second.begin < begin + piece.size() && begin < entry.second.end();
    };
    if (ahead < 0 || ahead > most_ahead || std::ranges::any_of(one.waiting, covers)) {
      flush(one, "repeated");
      if (ahead > most_ahead) one.next.reset();
      return false;
    }
  }
  int64_t waiting = piece.size();
  for (const auto& [at, held] : one.waiting) waiting += held.piece.size();
  if (!one.waiting.empty() && !may_join(one.waiting.at(one.first).piece, piece)) flush(one, "header");
  else if (!one.waiting.empty() && waiting > most_payload) flush(one, "full");
  wait(one, piece, begin);
  keep_within_limits();
  return true;
}

void CoalesceOracle::wait(OneWay& one, const Piece& piece, int64_t begin) {
  if (one.waiting.empty()) one.first = begin;
  one.waiting[begin] = {piece, begin};
  one.latest = piece.number;
  one.passed = passed_;
  if (!one.next) one.next = begin;
  while (one.waiting.contains(*one.next)) one.next = one.waiting.at(*one.next).end();
  int64_t payload = 0;
  for (const auto& [at, held] : one.waiting) payload += held.piece.size();
  if (payload >= std::min(rules_.threshold, most_payload)) flush(one, "threshold");
  else if (rules_.push && piece.flags() & psh) flush(one, "push");
}

bool CoalesceOracle::may_join(const Piece& a, const Piece& b) {
  const auto same = [&](int64_t from, int64_t count) {
    return std::ranges::equal(Bytes(a.bytes).slice(from, count), Bytes(b.bytes).slice(from, count));
  };
  if (a.version != b.version || a.ip != b.ip || a.data != b.data || !same(0, a.ip)) return false;
  if ((a.flags() | psh) != (b.flags() | psh)) return false;
  return a.version == 4 ? same(a.ip + 1, 1) && same(a.ip + 6, 3) : same(a.ip, 4) && same(a.ip + 7, 1);
}

// As the product counts it: twice what was captured of each, and something beside.
int64_t CoalesceOracle::held() const {
  int64_t sum = 0;
  for (const auto& [way, one] : ways_) {
    for (const auto& [at, held] : one.waiting) sum += 2 * static_cast<int64_t>(held.piece.bytes.size()) + 256;
  }
  return sum;
}

void CoalesceOracle::keep_within_limits() {
  while (rules_.held < std::numeric_limits<int64_t>::max() && held() > rules_.held) {
    OneWay* oldest = nullptr;
    for (auto& [way, one] : ways_) {
      if (!one.waiting.empty() && (!oldest || one.latest < oldest->latest)) oldest = &one;
    }
    flush(*oldest, "memory");
  }
}

void CoalesceOracle::flush(OneWay& one, const std::string& why) {
  if (one.waiting.empty()) return;
  ++counts_["flush " + why];
  std::vector<const Held*> run;
  int64_t order = 0;
  for (const auto& [at, held] : one.waiting) {
    if (!run.empty() && run.back()->end() != held.begin) {
      leave(run, order++, one);
      run.clear();
    }
    run.push_back(&held);
  }
  leave(run, order, one);
  one.next = run.back()->end();
  one.waiting.clear();
}

void CoalesceOracle::leave(const std::vector<const Held*>& run, int64_t order, const OneWay& one) {
  const Piece& first = run.front()->piece;
  PlacedPacket packet{one.latest, order, first.time, first.bytes, 0, static_cast<int64_t>(run.size())};
  for (const auto& [at, held] : one.waiting) packet.time = std::max(packet.time, held.piece.time);
  std::vector<uint8_t>& bytes = packet.bytes;
  if (run.size() > 1) {
    const Piece* latest = &first;
    bytes.resize(static_cast<size_t>(first.data));
    for (const Held* held : run) {
      const Piece& piece = held->piece;
      bytes.insert(bytes.end(), piece.bytes.begin() + piece.data, piece.bytes.end());
      bytes[static_cast<size_t>(first.tcp) + 13] |= piece.flags() & psh;
      if (piece.number > latest->number) latest = &piece;
    }
    for (const int64_t at : {8, 9, 10, 11, 14, 15}) {
      bytes[static_cast<size_t>(first.tcp + at)] = latest->bytes[static_cast<size_t>(latest->tcp + at)];
    }
    const int64_t segment = static_cast<int64_t>(bytes.size()) - first.tcp;
    put16(bytes, first.tcp + 16, 0);
    if (first.version == 4) {
      put16(bytes, first.ip + 2, 20 + segment);
      put16(bytes, first.ip + 10, 0);
      Sum header;
      header.add(Bytes(bytes).slice(first.ip, 20));
      put16(bytes, first.ip + 10, 0xffff - header.value());
    } else {
      put16(bytes, first.ip + 4, segment);
    }
    put16(bytes, first.tcp + 16, 0xffff - tcp_sum(Bytes(bytes), first.version, first.ip, first.tcp, segment));
  }
  packet.original = static_cast<int64_t>(bytes.size());
  out_.push_back(std::move(packet));
}

std::vector<PlacedPacket> CoalesceOracle::finish() {
  for (auto& [way, one] : ways_) flush(one, passed_ - one.passed > rules_.window ? "memory" : "end");
  std::ranges::sort(out_, {}, &PlacedPacket::in_order);
  return std::move(out_);
}

}  // namespace reference
