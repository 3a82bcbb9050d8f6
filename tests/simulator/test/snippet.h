// A kernel written in PTX, run on memory of its own.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "simulator/finding.h"
#include "simulator/launch.h"
#include "simulator/settings.h"
#include "simulator/test/machine_test.h"

namespace cuda_machine::test {

// The kernel has one parameter, `memory`, the address of an array of 32-bit words, already in %rd1 (generic and
// global). Beside it there are the registers %r<32>, %rd<32>, %rs<8> and %p<8>; %r1 is the thread's number in its
// block.
class Snippet {
 public:
  explicit Snippet(const std::string& body, const std::string& shared = {})
      : module_(parse_module(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 memory)\n{\n"
                             ".reg .b32 %r<32>;\n.reg .b64 %rd<32>;\n.reg .b16 %rs<8>;\n.reg .pred %p<8>;\n" +
                             shared + "ld.param.u64 %rd1, [memory];\nmov.u32 %r1, %tid.x;\n" + body + "\nret;\n}\n")) {}

  // So many words; without values nobody has written them.
  std::uint64_t give_memory(const std::vector<std::uint32_t>& words) {
    const std::uint64_t address = give_unwritten_memory(words.size());
    std::memcpy(memory_.find(address)->at(address), words.data(), words.size() * 4);
    if (std::uint8_t* const written = memory_.find(address)->written(address))
      std::memset(written, 1, words.size() * 4);
    return address;
  }
  std::uint64_t give_unwritten_memory(std::size_t words) {
    address_ = 0x9000'0000'0000u;
    words_ = words;
    memory_.remove(address_);
    memory_.add(std::make_unique<Allocation>(address_, words * 4));
    return address_;
  }

  const Kernel& kernel() const { return module_.kernels.begin()->second; }

  void run(unsigned threads = kLanes, unsigned blocks = 1, LaunchCounts* counts = nullptr) {
    Launch launch;
    launch.kernel = &kernel();
    launch.counts = counts;
    launch.grid = {blocks, 1, 1};
    launch.block = {threads, 1, 1};
    launch.memory = &memory_;
    launch.parameters.resize(8);
    std::memcpy(launch.parameters.data(), &address_, 8);
    cuda_machine::run(launch);
  }

  std::vector<std::uint32_t> words() const {
    std::vector<std::uint32_t> result(words_);
    std::memcpy(result.data(), memory_.find(address_)->at(address_), words_ * 4);
    return result;
  }

 private:
  Module module_;
  AddressSpace memory_;
  std::uint64_t address_ = 0;
  std::size_t words_ = 0;
};

// Puts the value of a 32-bit register at the thread's place in the array. Uses %rd2 and %rd3.
inline std::string put(const std::string& reg) {
  return "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], " + reg + ";\n";
}

}  // namespace cuda_machine::test
