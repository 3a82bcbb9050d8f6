// How the Data Records of one Template become Flow Records: which of its fields has the addresses, the times and each
// column. Made once for a Template, from the fields that it has.
//
// Where a Template has a value in more than one form, the most exact one counts: times in nanoseconds before
// microseconds, milliseconds, seconds and milliseconds since the exporter started; counts since the last report before
// totals, and these before those of initiator and responder.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "core/noted_columns.h"
#include "core/record_reader.h"
#include "record/ipfix/flow_fields.h"
#include "record/ipfix/record_decoder.h"
#include "warpmeter/columns.h"

namespace warpmeter::inline record {

// What a Data Record does not tell itself.
struct RecordContext {
  std::uint32_t export_time = 0;                     // of its message, seconds
  std::optional<std::uint64_t> system_init_ms = {};  // when the exporter started, if it said so in another record
};

class FlowPlan {
 public:
  explicit FlowPlan(const FieldSet& known);

  bool is_flow() const { return has_ipv4_ || has_ipv6_; }
  bool has_vlan() const { return vlan_ != kNoSlot; }
  bool has_reverse() const { return has_reverse_; }
  bool is_own() const { return is_own_; }
  std::uint32_t absent() const { return forward_.absent; }  // columns that no record has

  // Columns of the annexes that records have: one of our exporter's fields tells which values a record has.
  ExtraColumns annexes() const;
  void read_annexes(const DecodedRecord& record, bool has_reverse, Annotations& to) const;

  // False: a count is 2^63 or more, and columns are signed. REQUIRES: is_flow().
  bool read(const DecodedRecord& record, const RecordContext& context, Biflow& flow) const;

 private:
  struct ColumnSource {
    Slot slot = kNoSlot;
    Slot more = kNoSlot;  // flags that are to be added
  };
  enum class Clock : std::uint8_t { none, nanoseconds, microseconds, milliseconds, seconds, delta, uptime };
  struct TimeSource {
    Clock clock = Clock::none;
    Slot slot = kNoSlot;
    Slot milliseconds = kNoSlot;  // the same time, if it is there in milliseconds as well
  };
  struct DirectionPlan {
    std::array<ColumnSource, kColumns.size()> columns;
    std::uint32_t absent = 0;
    TimeSource start, end;
    Slot duration_ms = kNoSlot, duration_us = kNoSlot;
  };

  Slot first_of(std::initializer_list<FlowField> fields) const;
  bool is_ipv6(const DecodedRecord& record) const;
  void plan_columns(DirectionPlan& plan, Direction direction) const;
  void plan_times(DirectionPlan& plan, Direction direction) const;

  void read_key(const DecodedRecord& record, FlowKey& key) const;
  std::uint64_t icmp_type_code(const DecodedRecord& record, int version) const;
  std::optional<std::uint64_t> time_of(const TimeSource& source, const DecodedRecord& record,
                                       const RecordContext& context) const;
  void read_times(const DirectionPlan& plan, const DecodedRecord& record, const RecordContext& context,
                  FlowRecord& flow) const;
  std::uint32_t annex_fields(Direction direction) const;
  static bool read_annex(const DecodedRecord& record, AnnexField field, Direction direction, Annex& annex);
  static bool read_columns(const DirectionPlan& plan, const DecodedRecord& record, FlowRecord& flow);

  FieldSet known_;
  bool has_ipv4_, has_ipv6_, has_reverse_;
  bool is_own_;  // our exporter's
  Slot source_port_, destination_port_, vlan_;
  DirectionPlan forward_, reverse_;
};

}  // namespace warpmeter::inline record
