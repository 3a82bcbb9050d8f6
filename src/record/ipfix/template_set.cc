#include "record/ipfix/template_set.h"

#include <algorithm>
#include <utility>

#include "core/byte_order.h"

namespace warpmeter::inline record {
namespace {

constexpr std::uint16_t kEnterpriseBit = 0x8000;

struct Octets {
  const std::uint8_t* at;
  std::size_t left;

  bool has(std::size_t count) const { return left >= count; }
  std::uint16_t u16() {
    const std::uint16_t value = load_be16(at);
    at += 2, left -= 2;
    return value;
  }
  std::uint32_t u32() {
    const std::uint32_t value = load_be32(at);
    at += 4, left -= 4;
    return value;
  }
  bool all_zero() const {
    return std::all_of(at, at + left, [](std::uint8_t octet) { return octet == 0; });
  }
};

// False if the Set ends within.
bool read_fields(Octets& octets, std::size_t count, std::vector<FieldSpecifier>& fields) {
  if (!octets.has(count * 4)) return false;
  fields.resize(count);
  for (FieldSpecifier& field : fields) {
    if (!octets.has(4)) return false;
    field.number = octets.u16();
    field.length = octets.u16();
    if (!(field.number & kEnterpriseBit)) continue;
    if (!octets.has(4)) return false;
    field.number &= static_cast<std::uint16_t>(~kEnterpriseBit);
    field.enterprise = octets.u32();
  }
  return true;
}

// Records without an octet would be without number.
bool is_empty_record(const std::vector<FieldSpecifier>& fields) {
  return std::all_of(fields.begin(), fields.end(), [](const FieldSpecifier& field) { return field.length == 0; });
}

std::string named(const TemplateRecord& record) { return "Template " + std::to_string(record.id); }

}  // namespace

std::vector<TemplateRecord> read_template_set(const std::uint8_t* body, std::size_t size, bool options,
                                              std::optional<std::string>& problem) {
  std::vector<TemplateRecord> records;
  Octets octets{body, size};
  while (octets.has(4) && !octets.all_zero()) {  // zeros: padding
    TemplateRecord record;
    record.options = options;
    record.id = octets.u16();
    const std::uint16_t count = octets.u16();
    record.withdrawal = count == 0;
    const bool withdraws_all = record.withdrawal && record.id == (options ? kOptionsTemplateSet : kTemplateSet);
    if (record.id < kFirstTemplateId && !withdraws_all) record.problem = named(record) + ": not a number for Templates";
    if (options && count > 0) {
      const std::uint16_t scope = octets.has(2) ? octets.u16() : 0;
      if (scope == 0 || scope > count) record.problem = "Options " + named(record) + ": a wrong number of scope fields";
    }
    if (!read_fields(octets, count, record.fields)) {
      problem = named(record) + " is cut short";
      break;
    }
    if (count > 0 && is_empty_record(record.fields)) record.problem = named(record) + ": its records have no octet";
    if (!record.problem.empty()) record.fields.clear();
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace warpmeter::inline record
