// An owner's part in a change of the sample of flows (sample_rate.h): it decodes by the new sample, and ends its flows
// that are in it no more, some shards between two batches, so that its rings need not wait for long.
//
// Threads: the owner's.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "command/live/sample_rate.h"
#include "flow/meter/shard.h"
#include "packet/decode/decoder.h"

namespace warpmeter::inline command {

class SampleFollower {
 public:
  // What is referred to must outlive it.
  SampleFollower(SampleRate& rate, unsigned owner, const DecodeOptions& options, const HashSeed& hash_seed);

  // Of the sample that was taken up last.
  const Decoder& decoder() const { return *decoder_; }

  // Takes up the sample that is wanted, if that has changed. REQUIRES: all that was decoded before is metered, or
  // published. True: all owners have, so that flows may end once what they handed over before this call is metered.
  bool take_up();

  // After that: ends flows of some more shards. True: these were the last, and settle() is due when their partials have
  // been given away.
  bool end_flows(const std::vector<std::unique_ptr<Shard>>& shards);
  void settle();

  // What the owner's thread has worked.
  void tell_cpu_time();

 private:
  SampleRate& rate_;
  const unsigned owner_;
  const HashSeed& hash_seed_;
  DecodeOptions options_;
  std::optional<Decoder> decoder_;
  bool is_settled_ = true;
  unsigned next_shard_ = 0;
};

}  // namespace warpmeter::inline command
