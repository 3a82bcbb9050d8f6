// The interfaces that the pcapng files of a trace tell of, each with a number, for who writes packets into another
// capture: alike ones of several sections, or files, are one, as in captures that were put together or rotated.
//
// Threads: any, at once; a Section has one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "core/thread_annotations.h"
#include "packet/file/capture_reader.h"

namespace warpmeter::inline packet {

class InterfaceList {
  // What tells two of them apart; the last: which of those of its section that are alike otherwise.
  using Key = std::tuple<std::uint16_t, std::uint32_t, std::string, std::string, std::size_t>;

 public:
  // Those of one section.
  class Section {
   public:
    explicit Section(InterfaceList& list) : list_(list) {}

    // The number, from 1 on, of the one that the section tells of next. Throws Error if there are too many.
    std::uint16_t next(const InterfaceFacts& interface);

   private:
    InterfaceList& list_;
    std::map<Key, std::size_t> alike_;
  };

  // That of packets which come from no interface with a number: of a capture of this link type. Throws Error likewise.
  std::uint16_t of_link(std::uint16_t link);

  // REQUIRES: a number of this list.
  InterfaceFacts at(std::uint16_t number) const;

  // All numbers, in an order that depends on what the interfaces are alone.
  std::vector<std::uint16_t> in_order() const;

 private:
  static Key key_of(const InterfaceFacts& interface, std::size_t alike);
  std::uint16_t number_of(const InterfaceFacts& interface, std::size_t alike);

  mutable std::mutex mutex_;
  std::map<Key, std::uint16_t> numbers_ WARPMETER_GUARDED_BY(mutex_);
  std::vector<InterfaceFacts> interfaces_ WARPMETER_GUARDED_BY(mutex_);  // by number, less 1
};

}  // namespace warpmeter::inline packet
