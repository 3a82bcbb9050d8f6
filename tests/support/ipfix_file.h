// IPFIX Messages byte for byte (RFC 7011, section 3), right and wrong ones.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "support/byte_writer.h"

namespace warpmeter::test {

struct IpfixField {
  int number;
  int length;
  std::uint32_t enterprise = 0;
};

constexpr int kVariable = 65'535;

inline Bytes ipfix_message(const Bytes& sets, std::uint32_t domain = 1, std::uint32_t export_time = 1'700'000'000) {
  return ByteWriter().u16(10).u16(16 + sets.size()).u32(export_time).u32(0).u32(domain).bytes(sets).data();
}

inline Bytes ipfix_set(int id, const Bytes& body) {
  return ByteWriter().u16(static_cast<std::uint64_t>(id)).u16(4 + body.size()).bytes(body).data();
}

inline Bytes ipfix_fields(const std::vector<IpfixField>& fields) {
  ByteWriter to;
  for (const IpfixField& field : fields) {
    to.u16(static_cast<std::uint64_t>(field.number) | (field.enterprise ? 0x8000u : 0u));
    to.u16(static_cast<std::uint64_t>(field.length));
    if (field.enterprise) to.u32(field.enterprise);
  }
  return to.data();
}

inline Bytes ipfix_template(int id, const std::vector<IpfixField>& fields) {
  return ByteWriter().u16(static_cast<std::uint64_t>(id)).u16(fields.size()).bytes(ipfix_fields(fields)).data();
}

inline Bytes template_set(int id, const std::vector<IpfixField>& fields) {
  return ipfix_set(2, ipfix_template(id, fields));
}

inline Bytes options_template_set(int id, unsigned scope_fields, const std::vector<IpfixField>& fields) {
  return ipfix_set(3, ByteWriter()
                          .u16(static_cast<std::uint64_t>(id))
                          .u16(fields.size())
                          .u16(scope_fields)
                          .bytes(ipfix_fields(fields))
                          .data());
}

// From 10.0.0.1, port 1000, to 10.0.0.2, port 80, TCP: 13 octets, with the fields of kFlowFields.
inline const std::vector<IpfixField> kFlowFields = {{8, 4}, {12, 4}, {7, 2}, {11, 2}, {4, 1}};

inline Bytes flow_key_fields(int protocol = 6) {
  return ByteWriter().u32(0x0a000001).u32(0x0a000002).u16(1000).u16(80).u8(static_cast<std::uint64_t>(protocol)).data();
}

// One behind the other: bytes, or fields.
template <class... More>
Bytes join(Bytes first, const More&... more) {
  (first.insert(first.end(), more.begin(), more.end()), ...);
  return first;
}

inline std::vector<IpfixField> join(std::vector<IpfixField> first, const std::vector<IpfixField>& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

}  // namespace warpmeter::test
