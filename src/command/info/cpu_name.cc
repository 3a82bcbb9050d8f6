#include "command/info/cpu_name.h"

#include <array>
#include <string_view>

namespace warpmeter::inline command {
namespace {

constexpr std::string_view kArm = "0x41";  // implementer

struct Part {
  std::string_view number, name;
};
constexpr std::array<Part, 5> kParts = {{{"0xd0c", "Arm Neoverse N1"},
                                         {"0xd40", "Arm Neoverse V1"},
                                         {"0xd49", "Arm Neoverse N2"},
                                         {"0xd4f", "Arm Neoverse V2"},
                                         {"0xd84", "Arm Neoverse V3"}}};

std::string name_of_part(const std::string& implementer, const std::string& number) {
  for (const Part& part : kParts) {
    if (implementer == kArm && number == part.number) return std::string(part.name);
  }
  return "arm64, implementer " + implementer + ", part " + number;
}

}  // namespace

std::string cpu_name(std::istream& cpuinfo) {
  std::string implementer;
  for (std::string line; std::getline(cpuinfo, line);) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    const std::string value = line.substr(colon + 2);
    if (line.starts_with("model name")) return value;
    if (line.starts_with("CPU implementer")) implementer = value;
    if (line.starts_with("CPU part") && !implementer.empty()) return name_of_part(implementer, value);
  }
  return "unknown";
}

}  // namespace warpmeter::inline command
