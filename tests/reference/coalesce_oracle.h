// What coalescing makes of a trace, by the rules of docs/coalesce.md once more: every packet kept whole, looked for one
// by one, and summed byte by byte.
#pragma once

#include <cstdint>
#include <limits>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "capture.h"
#include "ip_header.h"
#include "reference_key.h"

namespace reference {

struct CoalesceRules {
  bool verify = true;
  bool push = true;
  int64_t threshold = 65'000;
  int64_t interval = 1'000'000;  // ns
  int64_t window = std::numeric_limits<int64_t>::max();
  int64_t held = std::numeric_limits<int64_t>::max();
  size_t descriptors = std::numeric_limits<size_t>::max();
};

// A packet of the output.
struct PlacedPacket {
  int64_t place = 0, order = 0;  // of packets at one place
  int64_t time = 0;
  std::vector<uint8_t> bytes;
  int64_t original = 0;
  int64_t joined = 1;

  bool operator==(const PlacedPacket&) const = default;
  std::pair<int64_t, int64_t> in_order() const { return {place, order}; }
};

class CoalesceOracle {
 public:
  explicit CoalesceOracle(const CoalesceRules& rules) : rules_(rules) {}

  // The next frame of the trace.
  void take(const Frame& frame);
  // There are no more: all packets, in the order of the output.
  std::vector<PlacedPacket> finish();

  // By the names of --stats: "pass no_payload", "flush push".
  const std::map<std::string, int64_t>& counts() const { return counts_; }

 private:
  using Way = std::tuple<int, Address, Address, uint16_t, uint16_t>;

  // A packet that may be joined.
  struct Piece {
    int64_t number = 0, time = 0;
    std::vector<uint8_t> bytes;         // without padding
    int64_t ip = 0, tcp = 0, data = 0;  // where they begin
    int version = 0;
    uint32_t sequence = 0;

    int64_t size() const { return static_cast<int64_t>(bytes.size()) - data; }
    uint8_t flags() const { return bytes[static_cast<size_t>(tcp) + 13]; }
  };
  struct Held {
    Piece piece;
    int64_t begin;  // sequence number, unwrapped
    int64_t end() const { return begin + piece.size(); }
  };
  struct OneWay {
    std::map<int64_t, Held> waiting;  // by where they begin
    std::optional<int64_t> next;      // unwrapped
    int64_t last = 0;
    std::optional<int64_t> average;
    int64_t passed = 0, latest = 0;  // of the latest packet that waits: bytes of the trace before it, and its number
    int64_t first = 0;               // of those that wait, where the one begins that came first
  };

  std::string why_it_passes(const Frame& frame, const WalkedFrame& walked, const IpPlace& place, const IpHeader& ip,
                            Piece& piece) const;
  bool is_right(const Bytes& bytes, const IpPlace& place, const IpHeader& ip) const;
  static bool may_join(const Piece& a, const Piece& b);
  bool arrive(const Way& way, const Piece& piece);
  OneWay& meet(const Way& way, int64_t time);
  void wait(OneWay& one, const Piece& piece, int64_t begin);
  void flush(OneWay& one, const std::string& why);
  void leave(const std::vector<const Held*>& run, int64_t order, const OneWay& one);
  void pass(const Frame& frame, const std::string& why);
  void keep_within_limits();
  int64_t held() const;

  const CoalesceRules rules_;
  std::map<Way, OneWay> ways_;
  std::list<Way> recent_;  // the latest at the end
  std::vector<PlacedPacket> out_;
  std::map<std::string, int64_t> counts_;
  int64_t number_ = 0, passed_ = 0;
};

}  // namespace reference
