// What Flow Records are summed by: addresses or prefixes of them, ports, protocol, intervals of time and so on.
//
//   KEY = src_addr | dst_addr | addr, each perhaps with /N (bits of IPv4 addresses), /N:M (M those of IPv6), /:M
//       | src_port | dst_port | port | protocol | version | vlan_id | tcp_flags | end_reason
//       | start/TIME | end/TIME (intervals of that length, from 1970 on)
//       | time/TIME (the same; a flow counts in each that it lasts in, with its share of the time)
//       | labels | a column of annotations | host_country, host_asn, ... of --geo
//
// A flow with several labels counts once for each, and one without in the sum that has none.
//
// addr, port and host_country (host_...) are those of both ends: a flow then counts once for its source and once for
// its destination (addr,port are the two endpoints), and only once where both are the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/query/field.h"

namespace warpmeter::inline analysis {

// The value of one key in one group.
struct SumKeyValue {
  std::uint8_t version = 0;  // of an address
  std::uint8_t address[16] = {};
  std::optional<std::int64_t> number;  // of anything else; nothing where it does not apply
  std::string_view text;               // of an annotation; empty: none
};

// Of a flow, whose sum is asked for.
struct SumSubject {
  const FlowRecord& record;
  const Annotations& noted;
  bool destination = false;     // which end a key of both ends means
  std::string_view label = {};  // which element one of the list
  static constexpr std::uint64_t kWhole = std::uint64_t{1} << 32;
  std::int64_t interval = 0;      // where that of a key that spreads begins
  std::uint64_t weight = kWhole;  // of the flow's counters in it
  std::optional<std::int64_t> handshake_ns = {};
};

class SumKey {
 public:
  // Throws Error (usage).
  explicit SumKey(const std::string& text);

  const std::string& name() const { return name_; }  // as it was written
  Field field() const { return field_; }
  bool is_address() const { return field_.type() == FieldType::address; }
  bool of_both_ends() const { return field_.in_filters_only(); }
  bool of_list() const { return field_.type() == FieldType::texts; }
  bool spreads() const { return spreads_; }                  // over the intervals that a flow lasts in
  std::int64_t interval_ns() const { return interval_ns_; }  // 0: it is of no time
  // Of a value: of a list, an element.
  FieldType type() const { return of_list() ? FieldType::text : field_.type(); }
  // The message if it must be a column of annotations and there is none; else empty.
  const std::string& doubt() const { return doubt_; }
  // Behind the slash for one IP version, of those written; nothing if all bits count.
  std::optional<int> bits(std::uint8_t version) const;

  // Appends to `to` what tells groups apart; bytes in the order of the values.
  void append(const SumSubject& subject, std::string& to) const;
  // The inverse; `at` moves on behind it. Text is that of `group`.
  SumKeyValue value(const std::string& group, std::size_t& at) const;

 private:
  void parse_behind_slash(const std::string& text);
  void append_address(const FlowRecord& record, bool destination, std::string& to) const;

  void append_text(std::string_view text, std::string& to) const;
  void append_number(std::optional<std::int64_t> value, std::string& to) const;

  std::string name_, doubt_;
  Field field_;
  std::optional<int> bits4_, bits6_;
  std::int64_t interval_ns_ = 0;
  bool spreads_ = false;
};

inline constexpr std::string_view kSpreadKey = "time";

// Where the interval begins that `ns` is in; intervals before 1970 are rounded down as well.
std::int64_t start_of_interval(std::int64_t ns, std::int64_t interval);

// As they are written, without what may stand behind a slash.
std::vector<std::string_view> sum_key_names();

// "KEY[,KEY...]". Throws Error (usage).
std::vector<SumKey> parse_sum_keys(const std::string& text);

}  // namespace warpmeter::inline analysis
