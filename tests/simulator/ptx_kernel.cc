#include "simulator/ptx_kernel.h"

#include <optional>
#include <string>
#include <utility>

#include "simulator/ptx_instruction.h"
#include "simulator/ptx_statement.h"
#include "simulator/ptx_variable.h"

namespace cuda_machine {

namespace {

// A branch whose label has not been seen.
struct OpenBranch {
  std::size_t at;  // index into Kernel::code
  std::string_view label;
};

// What is between a pair of braces. Labels are known in the scope that has them, and in those inside it.
struct BranchScope {
  std::map<std::string_view, int> labels;
  std::vector<OpenBranch> branches;
};

class KernelReader {
 public:
  KernelReader(Tokens& tokens, const ModuleNames& module) : tokens_(tokens), names_(kernel_, module) {}

  Kernel read();

 private:
  void read_parameters();
  void read_parameter();
  void read_attributes();
  void read_body();
  void read_item();
  void read_directive(std::string_view directive);
  void read_place();
  void read_pragma();
  void read_registers();
  void read_register(std::string_view type);
  void read_instruction(const Token& first);
  void begin_scope();
  void end_scope();

  Tokens& tokens_;
  Kernel kernel_;
  Names names_;
  std::vector<BranchScope> scopes_;
  int file_ = 0, line_ = 0;
  std::optional<std::uint32_t> used_bytes_;  // of the next load
};

Kernel KernelReader::read() {
  kernel_.name = tokens_.take_word();
  if (tokens_.take_if("(")) read_parameters();
  read_attributes();
  read_body();
  return std::move(kernel_);
}

void KernelReader::read_parameters() {
  if (tokens_.take_if(")")) return;
  do read_parameter();
  while (tokens_.take_if(","));
  tokens_.expect(")");
}

void KernelReader::read_parameter() {
  tokens_.expect(".param");
  names_.declare_parameter(read_variable(tokens_));
}

std::uint32_t take_product_of_numbers(Tokens& tokens) {
  std::uint64_t product = tokens.take_number();
  while (tokens.take_if(",")) product *= tokens.take_number();
  return static_cast<std::uint32_t>(product);
}

void KernelReader::read_attributes() {
  while (tokens_.peek().is_directive()) {
    const Token attribute = tokens_.take();
    if (attribute.is(".maxntid") || attribute.is(".reqntid")) {
      kernel_.most_threads = take_product_of_numbers(tokens_);
    } else if (attribute.is(".minnctapersm") || attribute.is(".maxnctapersm") || attribute.is(".maxnreg")) {
      tokens_.take_number();
    } else {
      throw PtxError("unknown directive " + std::string(attribute.text));
    }
  }
}

void KernelReader::read_body() {
  tokens_.expect("{");
  begin_scope();
  while (!scopes_.empty()) read_item();
}

void KernelReader::read_item() {
  if (tokens_.take_if("{")) return begin_scope();
  if (tokens_.take_if("}")) return end_scope();
  if (tokens_.take_if(";")) return;
  const Token first = tokens_.take();
  if (first.is_directive()) return read_directive(first.text);
  if (first.kind == TokenKind::word && tokens_.take_if(":")) {
    const bool is_new = scopes_.back().labels.emplace(first.text, static_cast<int>(kernel_.code.size())).second;
    if (!is_new) throw PtxError("label `" + std::string(first.text) + "` stands twice");
    return;
  }
  read_instruction(first);
}

void KernelReader::read_directive(std::string_view directive) {
  if (directive == ".loc") return read_place();
  if (directive == ".pragma") return read_pragma();
  if (directive == ".reg") return read_registers();
  if (directive == ".shared") {
    names_.declare_shared(read_variable(tokens_));
  } else if (directive == ".local") {
    names_.declare_local(read_variable(tokens_));
  } else {
    throw PtxError("unknown directive " + std::string(directive));
  }
  tokens_.expect(";");
}

// .loc 3 88 12, function_name $L__info_string1, inlined_at 1 20 3: file, line and column, and whose they are.
void KernelReader::read_place() {
  file_ = static_cast<int>(tokens_.take_number());
  line_ = static_cast<int>(tokens_.take_number());
  tokens_.take_number();
  while (tokens_.take_if(",")) {
    tokens_.take_word();
    while (tokens_.peek().kind == TokenKind::number || tokens_.peek().text.starts_with("$L__info_string") ||
           tokens_.peek().is("+")) {
      tokens_.take();
    }
  }
}

void KernelReader::read_pragma() {
  static constexpr std::string_view kUsedBytes = "used_bytes_mask ";
  do {
    const Token pragma = tokens_.take();
    if (pragma.kind != TokenKind::string) throw PtxError("a string expected");
    if (pragma.text.starts_with(kUsedBytes)) {
      used_bytes_ = static_cast<std::uint32_t>(value_of_number(pragma.text.substr(kUsedBytes.size())));
    }
  } while (tokens_.take_if(","));
  tokens_.expect(";");
}

void KernelReader::read_registers() {
  const std::string_view type = tokens_.take_word().substr(1);
  do read_register(type);
  while (tokens_.take_if(","));
  tokens_.expect(";");
}

// %r<5> stands for %r0 to %r4.
void KernelReader::read_register(std::string_view type) {
  const std::string name(tokens_.take_word());
  if (!tokens_.take_if("<")) return names_.declare_register(name, type);
  const std::uint64_t count = tokens_.take_number();
  tokens_.expect(">");
  for (std::uint64_t i = 0; i < count; ++i) names_.declare_register(name + std::to_string(i), type);
}

void KernelReader::read_instruction(const Token& first) {
  const Statement statement = read_statement(tokens_, first);
  Instruction instruction = make_instruction(statement, names_);
  instruction.file = file_;
  instruction.line = line_;
  if (instruction.control == Control::branch) {
    scopes_.back().branches.push_back({kernel_.code.size(), statement.value(0).name});
  }
  if (statement.parts.front() == "ld" && used_bytes_) {
    instruction.memory.used_bytes = *used_bytes_;
    used_bytes_.reset();
  }
  kernel_.code.push_back(std::move(instruction));
}

void KernelReader::begin_scope() {
  scopes_.emplace_back();
  names_.begin_scope();
}

// Branches to labels that the scope has not got are left to the scope around it.
void KernelReader::end_scope() {
  const BranchScope ended = std::move(scopes_.back());
  scopes_.pop_back();
  names_.end_scope();
  for (const OpenBranch& branch : ended.branches) {
    const auto label = ended.labels.find(branch.label);
    if (label != ended.labels.end()) {
      kernel_.code[branch.at].target = label->second;
    } else if (!scopes_.empty()) {
      scopes_.back().branches.push_back(branch);
    } else {
      throw PtxError("`" + kernel_.code[branch.at].text + "`: there is no such label");
    }
  }
}

}  // namespace

Kernel read_kernel(Tokens& tokens, const ModuleNames& module) { return KernelReader(tokens, module).read(); }

}  // namespace cuda_machine
