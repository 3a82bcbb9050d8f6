#include "record/columns/column_option.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

namespace warpmeter::inline record {

// A line for each column, in the order in which they stand: a file beside this one defines NAME_option().
#define WARPMETER_EXTRA_COLUMNS(column) \
  column(community_id) column(first_packet) column(reverse_first_packet) column(handshake_ns)

#define WARPMETER_DECLARE(name) ColumnOption name##_option();
WARPMETER_EXTRA_COLUMNS(WARPMETER_DECLARE)
#undef WARPMETER_DECLARE

std::span<const ColumnOption> column_options() {
#define WARPMETER_OPTION(name) name##_option(),
  static const std::array options{WARPMETER_EXTRA_COLUMNS(WARPMETER_OPTION)};
#undef WARPMETER_OPTION
  return options;
}

std::string option_of_column(std::string_view column) {
  std::string option = "--" + std::string(column);
  std::ranges::replace(option, '_', '-');
  return option;
}

std::string ColumnOption::option() const { return option_of_column(column); }

std::string ColumnOption::number_option() const { return option() + "-" + std::string(number.name); }

namespace {

constexpr std::string_view kIngress = "ingress", kEgress = "egress";

class Interface : public ExtraColumn {
 public:
  explicit Interface(const ObservedPoints& points)
      : ExtraColumn({.name = "interface", .most = ObservedPoints::kLongestName, .nullable = true}), points_(points) {}
  char* write(char* to, const FlowRecord& record) const override {
    const ObservedPoints::Place place = points_.of(record.arrival);
    return place.point ? std::ranges::copy(place.point->name(), to).out : to;
  }

 private:
  const ObservedPoints& points_;
};

class Direction : public ExtraColumn {
 public:
  explicit Direction(const ObservedPoints& points)
      : ExtraColumn({.name = "direction", .most = kIngress.size(), .nullable = true}), points_(points) {}
  char* write(char* to, const FlowRecord& record) const override {
    const ObservedPoints::Place place = points_.of(record.arrival);
    return place.point ? std::ranges::copy(place.egress ? kEgress : kIngress, to).out : to;
  }

 private:
  const ObservedPoints& points_;
};

}  // namespace

ExtraColumns observed_columns(const ObservedPoints& points) {
  return {std::make_shared<Interface>(points), std::make_shared<Direction>(points)};
}

}  // namespace warpmeter::inline record
