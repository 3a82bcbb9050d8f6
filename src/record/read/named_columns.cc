#include "record/read/named_columns.h"

#include <algorithm>

namespace warpmeter::inline record {

NamedColumns::NamedColumns() { layout_.absent = (1u << kColumns.size()) - 1; }

std::string NamedColumns::add(std::string_view name) {
  const std::optional<Place> place = Place::of(name);
  if (!place) {  // of which there may be a million
    places_.push_back(place);
    return {};
  }
  const auto same = [&](const Place& other) { return other.same_value(*place); };
  if (const auto first = std::find_if(known_.begin(), known_.end(), same); first != known_.end()) {
    const std::string other = first->name();
    return "column " + std::string(name) + " stands there twice" + (other == name ? "" : ", once as " + other);
  }
  if (place->part == Place::Part::vlan) layout_.vlan = true;
  if (place->reverse) layout_.biflow = true;
  if (place->part == Place::Part::column && !place->reverse) layout_.absent &= ~(1u << place->number);
  places_.push_back(place);
  known_.push_back(*place);
  return {};
}

std::string_view NamedColumns::missing() const {
  for (const std::string_view name : kKeyColumns) {
    const auto is_it = [&](const Place& place) { return place.same_value(*Place::of(name)); };
    if (std::none_of(known_.begin(), known_.end(), is_it)) return name;
  }
  return {};
}

}  // namespace warpmeter::inline record
