// Kernels as a graph: what streams, events, functions of the host and registered memory must do together, on a GPU and
// on the machine in software alike.
#pragma once

#include <cstdint>
#include <vector>

namespace warpmeter::test {

struct CapturedRun {
  std::vector<std::uint32_t> values;
  unsigned told = 0;  // calls of the function at the end of the graph
};

// Each value plus `addend`, then times three, so often as the graph is launched; copied in and out by the graph itself.
// `captured_addend` stands in the graph that is made first and updated before it is launched. Throws
// std::runtime_error.
CapturedRun run_captured(std::vector<std::uint32_t> values, std::uint32_t captured_addend, std::uint32_t addend,
                         unsigned launches);

}  // namespace warpmeter::test
