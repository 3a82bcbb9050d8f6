// Templates and Options Templates as they stand in a Template Set (RFC 7011, section 3.4).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmeter::inline record {

inline constexpr std::uint16_t kTemplateSet = 2;
inline constexpr std::uint16_t kOptionsTemplateSet = 3;
inline constexpr std::uint16_t kFirstTemplateId = 256;
inline constexpr std::uint16_t kVariableLength = 65'535;

struct FieldSpecifier {
  std::uint32_t enterprise = 0;  // 0: of IANA
  std::uint16_t number = 0;      // without the enterprise bit
  std::uint16_t length = 0;      // kVariableLength: each record tells
};

struct TemplateRecord {
  std::uint16_t id = 0;  // 2 or 3 withdraws all Templates or all Options Templates
  bool options = false;
  bool withdrawal = false;
  std::vector<FieldSpecifier> fields;  // empty if withdrawn or of no use
  std::string problem;                 // why it is of no use
};

// Of a Set without its header. What stands before something that cannot be read counts; says what that is in `problem`.
std::vector<TemplateRecord> read_template_set(const std::uint8_t* body, std::size_t size, bool options,
                                              std::optional<std::string>& problem);

}  // namespace warpmeter::inline record
