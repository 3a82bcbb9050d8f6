// What the CPU of a machine is called, for people: as /proc/cpuinfo says it. That of arm64 has numbers alone.
//
// Source: Arm's MIDR_EL1, parts of its Neoverse cores.
#pragma once

#include <istream>
#include <string>

namespace warpmeter::inline command {

// `cpuinfo`: what /proc/cpuinfo holds.
std::string cpu_name(std::istream& cpuinfo);

}  // namespace warpmeter::inline command
