// What the user asked of `warpmeter extract`, parsed and with defaults filled in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "export/record_writer.h"
#include "warpmeter/options.h"

namespace warpmeter {

enum class Backend { automatic, cpu, cuda };

struct ExtractOptions {
  std::vector<std::string> inputs;
  std::string filter;  // empty = all packets
  std::string output;  // "-" = standard output
  Format format = Format::csv;
  Backend backend = Backend::automatic;
  MeterOptions meter;
  bool aggregate = false;
  bool key_vlan = false;
  unsigned threads = 1;
  std::uint32_t batch = 0;   // frames a batch
  std::uint64_t memory = 0;  // bytes: flow states and partials
  std::uint64_t run_memory =
      0;  // bytes of partials in memory before a run is written; 0 = a quarter of memory, at most 16 MiB
  std::string tmpdir;
  std::string stats_file;  // empty = none
  bool quiet = false;
  bool verbose = false;
  bool stages = false;
};

inline constexpr std::uint32_t kDefaultBatch = 4096;
inline constexpr std::uint32_t kLargestBatch = 1 << 22;

// Half of the memory that this process may use: of the machine's, or of its control group's.
std::uint64_t default_memory();

}  // namespace warpmeter
