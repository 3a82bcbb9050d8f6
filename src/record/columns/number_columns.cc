// Columns of numbers that Flow Records tell without a counter: where in the trace a flow begins, and how long a
// handshake took.
//
// `first_packet` is the number of the flow's first packet among all frames of the trace, from 1: of a single file the
// frame number of Wireshark and tcpdump. `reverse_first_packet` is that of a biflow's other direction.
//
// `handshake_ns` is the time from the SYN to the SYN+ACK of a biflow, where nothing was sent twice, so that each
// direction began with its own.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "record/columns/column_option.h"
#include "warpmeter/columns.h"

namespace warpmeter::inline record {

std::optional<std::int64_t> first_packet_of(const FlowRecord& record) {
  return record.arrival ? std::optional(static_cast<std::int64_t>(record.arrival)) : std::nullopt;
}

std::optional<std::int64_t> handshake_of(const FlowRecord& record, const FlowRecord* reverse, TimeForm form) {
  constexpr std::size_t kSyns = column_number("syn_count");
  const auto is_one = [](const FlowRecord& one) { return column_value(kSyns, one, one.absent) == 1; };
  if (!reverse || !is_one(record) || !is_one(*reverse) || reverse->start_ns < record.start_ns) return std::nullopt;
  return duration_in(form, record.start_ns, reverse->start_ns);
}

namespace {

std::string first_packet_name(bool reverse) {
  return std::string(reverse ? kReversePrefix : "") + std::string(kFirstPacketColumn);
}

class FirstPacket : public NumberColumn {
 public:
  explicit FirstPacket(bool reverse) : NumberColumn(first_packet_name(reverse), Number::count), reverse_(reverse) {}
  std::optional<std::int64_t> number(const FlowRecord& record, const FlowRecord* reverse) const override {
    if (!reverse_) return first_packet_of(record);
    return reverse ? first_packet_of(*reverse) : std::nullopt;
  }

 private:
  const bool reverse_;
};

class Handshake : public NumberColumn {
 public:
  explicit Handshake(TimeForm form)
      : NumberColumn(std::string(time_names(form).handshake), Number::span), form_(form) {}
  std::optional<std::int64_t> number(const FlowRecord& record, const FlowRecord* reverse) const override {
    return handshake_of(record, reverse, form_);
  }
  std::shared_ptr<const ExtraColumn> in(TimeForm form) const override { return std::make_shared<Handshake>(form); }

 private:
  const TimeForm form_;
};

}  // namespace

ColumnOption first_packet_option() {
  return {
      .column = kFirstPacketColumn,
      .meaning = "number of the flow's first packet in the trace, from 1, with --columns; in Parquet always",
      .needs = ColumnOption::Needs::numbered,
      .make = [](std::uint64_t) -> std::shared_ptr<const ExtraColumn> { return std::make_shared<FirstPacket>(false); }};
}

ColumnOption reverse_first_packet_option() {
  return {
      .column = "reverse_first_packet",
      .meaning = "of a biflow, the same of the other direction",
      .needs = ColumnOption::Needs::numbered_biflows,
      .make = [](std::uint64_t) -> std::shared_ptr<const ExtraColumn> { return std::make_shared<FirstPacket>(true); }};
}

ColumnOption handshake_ns_option() {
  return {.column = "handshake_ns",
          .meaning =
              "of a biflow, from the SYN to the SYN+ACK, where each was seen once, with --columns; in Parquet "
              "of biflows always",
          .needs = ColumnOption::Needs::biflows,
          .make = [](std::uint64_t) -> std::shared_ptr<const ExtraColumn> {
            return std::make_shared<Handshake>(TimeForm::ns);
          }};
}

void add_standing_columns(RecordLayout& layout) {
  for (const ColumnOption& option : column_options()) {
    if (!option.stands_in(layout)) continue;
    std::shared_ptr<const ExtraColumn> column = option.make(0);
    if (auto other = column->in(layout.times)) column = std::move(other);
    std::erase_if(layout.extra, [&](const auto& asked) { return asked->name() == column->name(); });
    layout.extra.push_back(std::move(column));
  }
}

}  // namespace warpmeter::inline record
