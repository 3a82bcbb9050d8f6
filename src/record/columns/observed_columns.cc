#include "record/columns/column_option.h"

#include <algorithm>
#include <memory>
#include <string_view>

namespace warpmeter::inline record {
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
