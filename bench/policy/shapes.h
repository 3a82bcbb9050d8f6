// What is measured: chains of policy groups and single ones, with patterns of payloads or of streams, and the scans of
// these alone.
//
// Threads: any, once made.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "policy/patterns/pattern_set.h"
#include "policy/rounds/compiled_policy.h"

namespace warpmeter::bench {

enum class Way : std::uint8_t { scan, fused, apart };

struct Shape {
  bool is_stream;
  Way way;
  unsigned groups, patterns;  // of each
  unsigned threads = 1;
  std::shared_ptr<const CompiledPolicy> policy = nullptr;    // null: the scans alone
  std::vector<std::shared_ptr<const PatternSet>> sets = {};  // in that case

  const char* kind() const { return is_stream ? "stream" : "payload"; }
  const char* way_word() const { return way == Way::scan ? "scan" : way == Way::fused ? "fused" : "apart"; }
  std::string name() const;  // as in stream-fused-4x100-1
};

// All with at most so many groups, or as many hundreds of patterns, or the one of this name. `threads`: of those that
// have several; 1: none has.
std::vector<Shape> make_shapes(unsigned most, unsigned threads, const std::string& only);

}  // namespace warpmeter::bench
