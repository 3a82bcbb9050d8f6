// The page of `warpmeter memory`: what streams of a trace would need, as sentences, charts and tables.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/page/page.h"

namespace warpmeter::inline analysis {

struct MemoryPageData {
  struct Amount {
    double mean = 0, peak = 0;
  };

  std::string trace = {};               // how long it is, and how fast: plain text, as the others
  std::vector<std::string> needs = {};  // sentences
  std::vector<std::string> notes = {};
  std::vector<unsigned> timeouts = {}, blocks = {};  // s, KiB
  std::vector<Amount> streams = {};                  // per Mbit/s, by timeout; empty: nothing can be said
  std::vector<std::vector<Amount>> megabytes = {};   // per Mbit/s, by timeout and block size
  std::size_t timeout = 0, block = 0;                // of the needs and the charts
};

std::string memory_page(const MemoryPageData& data, const PageOptions& options);

}  // namespace warpmeter::inline analysis
