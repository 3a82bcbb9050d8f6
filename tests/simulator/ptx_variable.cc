#include "simulator/ptx_variable.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "simulator/module.h"

namespace cuda_machine {

namespace {

std::uint32_t bytes_of_variable_type(std::string_view type) {
  if (type.starts_with(".v2") || type.starts_with(".v4")) throw PtxError("variables of vectors are not supported");
  unsigned bits = 0;
  const std::string_view digits = type.substr(std::min(type.size(), std::size_t{2}));
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  if (error != std::errc{} || stop != digits.data() + digits.size()) {
    throw PtxError("unknown type " + std::string(type));
  }
  return bits / 8;
}

// What may stand before a variable's type: how it lies in memory, and of a pointer what it points to.
std::uint32_t read_alignment(Tokens& tokens) {
  if (!tokens.take_if(".align")) return 0;
  return static_cast<std::uint32_t>(tokens.take_number());
}

void skip_pointer_attributes(Tokens& tokens) {
  if (!tokens.take_if(".ptr")) return;
  while (tokens.peek().is_directive()) {
    if (!read_alignment(tokens)) tokens.take();
  }
}

// [24][2]; 1 where there are none.
std::uint32_t read_count(Tokens& tokens) {
  std::uint64_t count = 1;
  while (tokens.take_if("[")) {
    count *= tokens.take_number();
    tokens.expect("]");
  }
  return static_cast<std::uint32_t>(count);
}

}  // namespace

Variable read_variable(Tokens& tokens) {
  Variable variable;
  const std::uint32_t alignment = read_alignment(tokens);
  const std::uint32_t bytes = bytes_of_variable_type(tokens.take_word());
  skip_pointer_attributes(tokens);
  variable.alignment = alignment ? alignment : bytes;
  variable.name = tokens.take_word();
  variable.bytes = bytes * read_count(tokens);
  return variable;
}

}  // namespace cuda_machine
