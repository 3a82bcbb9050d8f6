// What the CPU of a machine is called, for people: as /proc/cpuinfo says it. That of arm64 has numbers alone.
//
// Source: Arm's MIDR_EL1, parts of its Neoverse cores.
#pragma once

#include <array>
#include <istream>
#include <string>
#include <string_view>

namespace warpmeter::inline command {

inline constexpr std::string_view kArmImplementer = "0x41";

struct CpuPart {
  std::string_view number, name;
};
inline constexpr std::array<CpuPart, 5> kCpuParts = {{{"0xd0c", "Arm Neoverse N1"},
                                                      {"0xd40", "Arm Neoverse V1"},
                                                      {"0xd49", "Arm Neoverse N2"},
                                                      {"0xd4f", "Arm Neoverse V2"},
                                                      {"0xd84", "Arm Neoverse V3"}}};

inline std::string name_of_cpu_part(const std::string& implementer, const std::string& number) {
  for (const CpuPart& part : kCpuParts) {
    if (implementer == kArmImplementer && number == part.number) return std::string(part.name);
  }
  return "arm64, implementer " + implementer + ", part " + number;
}

// `cpuinfo`: what /proc/cpuinfo holds.
inline std::string cpu_name(std::istream& cpuinfo) {
  std::string implementer;
  for (std::string line; std::getline(cpuinfo, line);) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    const std::string value = line.substr(colon + 2);
    if (line.starts_with("model name")) return value;
    if (line.starts_with("CPU implementer")) implementer = value;
    if (line.starts_with("CPU part") && !implementer.empty()) return name_of_cpu_part(implementer, value);
  }
  return "unknown";
}

}  // namespace warpmeter::inline command
