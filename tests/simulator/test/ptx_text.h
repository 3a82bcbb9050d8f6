// PTX around what a test is about.
#pragma once

#include <string>

#include "simulator/module.h"

namespace cuda_machine::test {

inline constexpr const char* kHead = ".version 9.0\n.target sm_90\n.address_size 64\n";

inline Module module_of(const std::string& text) { return parse_module(kHead + text); }

// A kernel with registers of all kinds.
inline Kernel kernel_of(const std::string& body,
                        const std::string& parameters = ".param .u64 first, .param .u32 second") {
  Module module =
      module_of(".visible .entry k(" + parameters +
                ")\n{\n.reg .pred %p<4>;\n.reg .b16 %rs<4>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n" + body + "\n}\n");
  return module.kernels.at("k");
}

}  // namespace cuda_machine::test
