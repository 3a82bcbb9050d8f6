#include "collect/named_columns.h"

#include <algorithm>

namespace warpmeter {

NamedColumns::NamedColumns() { layout_.absent = (1u << kColumns.size()) - 1; }

std::string NamedColumns::add(std::string_view name) {
  const std::optional<Place> place = Place::of(name);
  const auto same = [&](const auto& other) { return place && other && other->same_value(*place); };
  if (const auto first = std::find_if(places_.begin(), places_.end(), same); first != places_.end()) {
    const std::string other = (*first)->name();
    return "column " + std::string(name) + " stands there twice" + (other == name ? "" : ", once as " + other);
  }
  if (place && place->part == Place::Part::vlan) layout_.vlan = true;
  if (place && place->reverse) layout_.biflow = true;
  if (place && place->part == Place::Part::column && !place->reverse) layout_.absent &= ~(1u << place->number);
  places_.push_back(place);
  return {};
}

std::string_view NamedColumns::missing() const {
  for (const std::string_view name : kKeyColumns) {
    const auto is_it = [&](const auto& place) { return place && place->same_value(*Place::of(name)); };
    if (std::none_of(places_.begin(), places_.end(), is_it)) return name;
  }
  return {};
}

}  // namespace warpmeter
