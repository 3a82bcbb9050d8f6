// `warpmeter decode INPUT... -o DIR`: captures to a set of segment files.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/hash_seed.h"
#include "packet/segments/segment_format.h"
#include "pipeline/metering/command_options.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {

// --hash-seed: words that hashes of decoding keep secret, from any text, so that several runs have the same. Each word
// depends on all of the text. No better a secret than the text.
inline HashSeed hash_seed_of(std::string_view text) {
  HashSeed seed;
  for (int i = 0; i < HashSeed::kWords; ++i) {
    seed.word[i] = segment_checksum(text.data(), text.size(), static_cast<std::uint64_t>(i) + 1);
  }
  return seed;
}

// Seeds that differ have different marks (but one pair in 2^64), and a mark tells nothing that helps to foresee hashes.
inline std::uint64_t mark_of(const HashSeed& seed) { return segment_checksum(seed.word, sizeof seed.word); }

// What the user asked of it, parsed and with defaults filled in.
struct DecodeCommandOptions : CommandOptions {
  bool key_vlan = false;
  std::string stdin_name;  // what the set calls standard input; empty: as messages do
  std::string output;      // a folder, which is not there or is empty
  unsigned partitions = 16;
  std::uint32_t row_frames = kRowFrames;  // tests take fewer
  std::string hash_seed;                  // any text; empty: one of its own
};

// Once `interrupted` is true, reading ends, and the set holds what was read and says that it is not all. Throws Error;
// then there is no set.
ExitStatus decode_captures(const DecodeCommandOptions& options, const std::atomic<bool>& interrupted);

}  // namespace warpmeter::inline command
