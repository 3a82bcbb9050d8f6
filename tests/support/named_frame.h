// A frame of some link type, and what it shows.
#pragma once

#include <ostream>
#include <string>

#include "support/byte_writer.h"

namespace warpmeter::test {

struct NamedFrame {
  std::string name;
  std::uint16_t link = 1;
  Bytes bytes = {};
};

inline std::ostream& operator<<(std::ostream& out, const NamedFrame& frame) {
  return out << frame.name << " (link type " << frame.link << ")";
}

}  // namespace warpmeter::test
