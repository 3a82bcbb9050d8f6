#include "simulator/place.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "simulator/block.h"
#include "simulator/running_launch.h"

namespace cuda_machine {
namespace {

std::string source_of(const Kernel& kernel, const Instruction& instruction) {
  const auto file = kernel.files.find(instruction.file);
  if (file == kernel.files.end()) return {};
  return " (" + file->second.substr(file->second.rfind('/') + 1) + ":" + std::to_string(instruction.line) + ")";
}

}  // namespace

std::string readable(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  return name ? name.get() : mangled;
}

std::string place_of(const Warp& warp, const Instruction& instruction, unsigned lane) {
  const Block& block = warp.block();
  return readable(warp.kernel().name) + ", block " + std::to_string(block.number()) + " of " +
         std::to_string(block.launch().launch().grid.count()) + ", warp " + std::to_string(warp.index()) + " lane " +
         std::to_string(lane) + ": `" + instruction.text + "`" + source_of(warp.kernel(), instruction);
}

void note(const Warp& warp, const Instruction& instruction, unsigned lane, Finding finding, const std::string& what) {
  report(finding, what + "; " + place_of(warp, instruction, lane),
         word_of(finding) + warp.kernel().name + instruction.text);
}

void fault(const Warp& warp, const Instruction& instruction, unsigned lane, Finding finding, const std::string& what) {
  const std::string sentence = what + "; " + place_of(warp, instruction, lane);
  report(finding, sentence);
  throw KernelFault(finding, sentence);
}

}  // namespace cuda_machine
