#include "packet/file/interface_list.h"

#include "packet/file/limits.h"

namespace warpmeter::inline packet {

std::uint16_t InterfaceList::Section::next(const InterfaceFacts& interface) {
  return list_.number_of(interface, alike_[key_of(interface, 0)]++, true);
}

// Without a name there is one for all captures of a link type.
std::uint16_t InterfaceList::of_link(std::uint16_t link) { return number_of({.link = link}, 0, false); }

InterfaceFacts InterfaceList::at(std::uint16_t number) const {
  const std::lock_guard lock(mutex_);
  return interfaces_[number - 1u];
}

std::vector<std::uint16_t> InterfaceList::in_order() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint16_t> numbers;
  for (const auto& [key, number] : numbers_) numbers.push_back(number);
  return numbers;
}

InterfaceList::Key InterfaceList::key_of(const InterfaceFacts& interface, std::size_t alike) {
  return {interface.link, interface.snap_length, interface.name, interface.description, alike};
}

// Which link types come first depends on threads: so they take no number from sections.
std::uint16_t InterfaceList::number_of(const InterfaceFacts& interface, std::size_t alike, bool of_section) {
  const std::lock_guard lock(mutex_);
  const Key key = key_of(interface, alike);
  if (const auto known = numbers_.find(key); known != numbers_.end()) return known->second;
  if (of_section && of_sections_ == kMostNumberedInterfaces) return 0;
  of_sections_ += of_section;
  interfaces_.push_back(interface);
  const auto number = static_cast<std::uint16_t>(interfaces_.size());
  numbers_.emplace(key, number);
  return number;
}

}  // namespace warpmeter::inline packet
