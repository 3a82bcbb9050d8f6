// Batches of segments to the files of a set: a file each partition.
//
// Threads: add() from one thread at a time for a partition, beside others for others.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/files/output_file.h"
#include "command/decode/marked_batch.h"
#include "core/hash_seed.h"
#include "packet/segments/segment_file.h"
#include "packet/segments/set_facts.h"

namespace warpmeter::inline command {

class SetWriter {
 public:
  // Opens the files in the folder, each with that header but for its partition. `hash_seed`: of the hashes in batches.
  // Throws Error, as do all others.
  SetWriter(const std::string& folder, const SegmentFileHeader& header, const HashSeed& hash_seed);

  // The next batch, for one partition.
  void add(unsigned partition, const MarkedBatch& batch);

  // All batches were added. The files are complete; so many threads help.
  void finish(const SetFacts& facts, unsigned threads);

  std::uint64_t bytes() const;

 private:
  struct File {
    OutputFile file;
    SegmentFileWriter writer;

    File(const std::string& name, const SegmentFileHeader& header, const HashSeed& hash_seed)
        : file(name), writer(header, hash_seed, file) {}
  };
  std::vector<std::unique_ptr<File>> files_;  // by partition
};

}  // namespace warpmeter::inline command
