#include "packet/file/interface_list.h"

#include <limits>

#include "warpmeter/status.h"

namespace warpmeter::inline packet {

std::uint16_t InterfaceList::Section::next(const InterfaceFacts& interface) {
  return list_.number_of(interface, alike_[key_of(interface, 0)]++);
}

// Without a name there is one for all captures of a link type.
std::uint16_t InterfaceList::of_link(std::uint16_t link) { return number_of({.link = link}, 0); }

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

std::uint16_t InterfaceList::number_of(const InterfaceFacts& interface, std::size_t alike) {
  const std::lock_guard lock(mutex_);
  const auto [known, is_new] = numbers_.try_emplace(key_of(interface, alike), 0);
  if (is_new) {
    if (interfaces_.size() == std::numeric_limits<std::uint16_t>::max()) {
      throw Error("the inputs have more than " + std::to_string(interfaces_.size()) + " interfaces");
    }
    interfaces_.push_back(interface);
    known->second = static_cast<std::uint16_t>(interfaces_.size());
  }
  return known->second;
}

}  // namespace warpmeter::inline packet
