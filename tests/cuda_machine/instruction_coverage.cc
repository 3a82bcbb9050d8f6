#include "cuda_machine/instruction_coverage.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <vector>

#include "cuda_machine/settings.h"

namespace cuda_machine {
namespace {

std::vector<const Module*>& covered() {
  static auto& all = *new std::vector<const Module*>;
  return all;
}

void write_kernel(std::ostream& out, const Kernel& kernel) {
  std::uint64_t executed = 0;
  for (const Instruction& i : kernel.code) executed += i.executed;
  out << "kernel " << kernel.name << ' ' << kernel.code.size() << ' ' << executed << '\n';
  for (std::size_t n = 0; n < kernel.code.size(); ++n) {
    const Instruction& i = kernel.code[n];
    if (i.executed) continue;
    const auto file = kernel.files.find(i.file);
    out << "never " << n << ' ' << (file == kernel.files.end() ? "?" : file->second) << ':' << i.line << ' ' << i.text
        << '\n';
  }
}

void write_all() {
  std::ofstream out(settings().coverage_folder + "/" + std::to_string(::getpid()) + ".txt", std::ios::app);
  for (const Module* module : covered()) {
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
