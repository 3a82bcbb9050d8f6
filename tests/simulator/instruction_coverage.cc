#include "simulator/instruction_coverage.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "simulator/settings.h"

namespace cuda_machine {
namespace {

std::vector<const Module*>& covered() {
  static auto& all = *new std::vector<const Module*>;
  return all;
}

// One line a kernel: its name, how many instructions it has, and how often they were executed; then a digit for each
// four of them, the bits of those that were.
void write_kernel(std::ostream& out, const Kernel& kernel) {
  std::uint64_t executed = 0;
  std::string digits((kernel.code.size() + 3) / 4, '0');
  std::vector<unsigned> bits(digits.size());
  for (std::size_t n = 0; n < kernel.code.size(); ++n) {
    executed += kernel.code[n].executed;
    if (kernel.code[n].executed) bits[n / 4] |= 1u << n % 4;
  }
  if (executed == 0) return;
  for (std::size_t n = 0; n < digits.size(); ++n) digits[n] = "0123456789abcdef"[bits[n]];
  out << kernel.name << ' ' << kernel.code.size() << ' ' << executed << ' ' << digits << '\n';
}

// Where the instructions of a kernel come from, a line each.
void write_code(std::ostream& out, const Kernel& kernel) {
  out << kernel.name << ' ' << kernel.code.size() << '\n';
  for (const Instruction& i : kernel.code) {
    const auto file = kernel.files.find(i.file);
    out << (file == kernel.files.end() ? "?" : file->second) << ':' << i.line << ' ' << i.text << '\n';
  }
}

// The code of a module is the same in all processes: one of them writes it.
void write_code_once(const std::filesystem::path& folder, const std::string& process, const Module& module) {
  std::string names;
  for (const auto& [name, kernel] : module.kernels) names += name + std::to_string(kernel.code.size());
  const auto file = folder / (std::to_string(std::hash<std::string>()(names)) + ".code");
  if (std::filesystem::exists(file)) return;
  const auto unfinished = file.string() + process;
  std::ofstream out(unfinished);
  for (const auto& [name, kernel] : module.kernels) write_code(out, kernel);
  out.close();
  std::filesystem::rename(unfinished, file);
}

void write_all() {
  const std::filesystem::path folder = settings().coverage_folder;
  const std::string process = std::to_string(::getpid());
  std::ofstream out(folder / (process + ".ran"), std::ios::app);
  for (const Module* module : covered()) {
    write_code_once(folder, process, *module);
    for (const auto& [name, kernel] : module->kernels) write_kernel(out, kernel);
  }
}

}  // namespace

void cover(const Module& module) {
  if (settings().coverage_folder.empty()) return;
  if (covered().empty()) std::atexit(write_all);
  covered().push_back(&module);
}

}  // namespace cuda_machine
