#include "packet/nic/bpf/kernel_functions.h"

#include <linux/btf.h>

#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>

namespace warpmeter::inline packet {
namespace {

// Bytes behind a type; none: its kind is not known, so neither is where the next one begins.
std::optional<std::size_t> bytes_behind(std::uint32_t info) {
  const std::size_t members = BTF_INFO_VLEN(info);
  switch (BTF_INFO_KIND(info)) {
    case BTF_KIND_PTR:
    case BTF_KIND_FWD:
    case BTF_KIND_TYPEDEF:
    case BTF_KIND_VOLATILE:
    case BTF_KIND_CONST:
    case BTF_KIND_RESTRICT:
    case BTF_KIND_FUNC:
    case BTF_KIND_FLOAT:
    case BTF_KIND_TYPE_TAG: return 0;
    case BTF_KIND_INT:
    case BTF_KIND_VAR:
    case BTF_KIND_DECL_TAG: return sizeof(std::uint32_t);
    case BTF_KIND_ARRAY: return sizeof(btf_array);
    case BTF_KIND_STRUCT:
    case BTF_KIND_UNION: return members * sizeof(btf_member);
    case BTF_KIND_ENUM: return members * sizeof(btf_enum);
    case BTF_KIND_FUNC_PROTO: return members * sizeof(btf_param);
    case BTF_KIND_DATASEC: return members * sizeof(btf_var_secinfo);
    case BTF_KIND_ENUM64: return members * sizeof(btf_enum64);
    default: return {};
  }
}

// Nothing where it lies outside.
std::string_view part(std::span<const char> all, std::size_t begin, std::size_t bytes) {
  if (begin > all.size() || bytes > all.size() - begin) return {};
  return {all.data() + begin, bytes};
}

bool is_named(std::string_view strings, std::size_t at, std::string_view name) {
  return at < strings.size() && strings.size() - at > name.size() && strings.substr(at).starts_with(name) &&
         strings[at + name.size()] == '\0';
}

}  // namespace

// Types are numbered from 1 on, in their order.
KernelFunction function_in(std::span<const char> types, std::string_view name) {
  btf_header header;
  if (types.size() < sizeof header) return KernelFunction::none;
  std::memcpy(&header, types.data(), sizeof header);
  if (header.magic != BTF_MAGIC) return KernelFunction::none;
  const std::string_view all = part(types, std::size_t{header.hdr_len} + header.type_off, header.type_len);
  const std::string_view strings = part(types, std::size_t{header.hdr_len} + header.str_off, header.str_len);
  std::int32_t number = 1;
  for (std::size_t at = 0; all.size() - at >= sizeof(btf_type); ++number) {
    btf_type type;
    std::memcpy(&type, all.data() + at, sizeof type);
    const auto behind = bytes_behind(type.info);
    if (!behind || *behind > all.size() - at - sizeof type) return KernelFunction::none;
    if (BTF_INFO_KIND(type.info) == BTF_KIND_FUNC && is_named(strings, type.name_off, name)) {
      return KernelFunction{number};
    }
    at += sizeof type + *behind;
  }
  return KernelFunction::none;
}

KernelFunction kernel_function(std::string_view name) {
  std::ifstream in(kKernelTypes, std::ios::binary);
  const std::string types(std::istreambuf_iterator<char>(in), {});
  return function_in(types, name);
}

}  // namespace warpmeter::inline packet
