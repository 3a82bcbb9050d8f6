#include <charconv>
#include <string>
#include <utility>

#include "simulator/module.h"
#include "simulator/ptx_kernel.h"
#include "simulator/ptx_names.h"
#include "simulator/ptx_tokens.h"
#include "simulator/ptx_variable.h"

namespace cuda_machine {

namespace {

class ModuleReader {
 public:
  explicit ModuleReader(Tokens& tokens) : tokens_(tokens) {}

  Module read();

 private:
  void read_directive();
  void read_target();
  void read_file();
  void read_section();
  void read_entry();
  void read_shared();
  void read_unknown_variables(const std::string& what);

  Tokens& tokens_;
  Module module_;
  ModuleNames names_;
  std::map<int, std::string> files_;
  bool is_external_ = false;  // the declaration that is read
};

Module ModuleReader::read() {
  while (tokens_.peek().kind != TokenKind::end) read_directive();
  if (module_.architecture == 0) throw PtxError("there is no .target");
  for (auto& [name, kernel] : module_.kernels) kernel.files = files_;
  return std::move(module_);
}

void ModuleReader::read_directive() {
  const Token directive = tokens_.take();
  if (directive.is(".visible") || directive.is(".weak")) return;
  if (directive.is(".extern")) {
    is_external_ = true;
    return;
  }
  if (directive.is(".version") || directive.is(".address_size")) {
    tokens_.take();
  } else if (directive.is(".target")) {
    read_target();
  } else if (directive.is(".file")) {
    read_file();
  } else if (directive.is(".section")) {
    read_section();
  } else if (directive.is(".entry")) {
    read_entry();
  } else if (directive.is(".shared")) {
    read_shared();
  } else if (directive.is(".global") || directive.is(".const")) {
    read_unknown_variables(std::string(directive.text) + " variables");
  } else if (directive.is(".pragma")) {
    tokens_.skip_past(";");
  } else {
    throw PtxError("unknown directive " + std::string(directive.text));
  }
  is_external_ = false;
}

// .target sm_90a, debug
void ModuleReader::read_target() {
  static constexpr std::string_view kPrefix = "sm_";
  do {
    const std::string_view target = tokens_.take_word();
    if (!target.starts_with(kPrefix)) continue;
    const std::string_view number = target.substr(kPrefix.size());
    std::from_chars(number.data(), number.data() + number.size(), module_.architecture);
  } while (tokens_.take_if(","));
}

// .file 1 "name", time, size
void ModuleReader::read_file() {
  const int number = static_cast<int>(tokens_.take_number());
  const Token name = tokens_.take();
  if (name.kind != TokenKind::string) throw PtxError("a file's name expected");
  files_.emplace(number, name.text);
  while (tokens_.take_if(",")) tokens_.take_number();
}

// What debuggers want to know.
void ModuleReader::read_section() {
  tokens_.take_word();
  tokens_.skip_braces();
}

void ModuleReader::read_entry() {
  Kernel kernel = read_kernel(tokens_, names_);
  std::string name = kernel.name;
  if (!module_.kernels.emplace(std::move(name), std::move(kernel)).second) throw PtxError("a kernel stands twice");
}

void ModuleReader::read_shared() {
  if (is_external_) return read_unknown_variables("variables of dynamic shared memory");
  const Variable variable = read_variable(tokens_);
  names_.shared.emplace(variable.name, variable);
  tokens_.expect(";");
}

// Goes past a declaration, and past its initial values.
void ModuleReader::read_unknown_variables(const std::string& what) {
  for (Token token = tokens_.take(); !token.is(";"); token = tokens_.take()) {
    if (token.is("=")) return tokens_.skip_past(";");
    if (token.kind == TokenKind::word && !token.is_directive()) names_.unknown.emplace(token.text, what);
  }
}

}  // namespace

Module parse_module(std::string_view ptx) {
  Tokens tokens(ptx);
  try {
    return ModuleReader(tokens).read();
  } catch (const PtxError& error) {
    throw PtxError(tokens.where() + ": " + error.what());
  }
}

}  // namespace cuda_machine
