// The inputs of a run: captures, or sets of segments that captures were decoded to.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "packet/decode/packet_filter.h"
#include "packet/file/inputs.h"
#include "packet/file/packet_source.h"
#include "packet/segments/segment_sets.h"
#include "pipeline/metering/extract_options.h"

namespace warpmeter::inline pipeline {

class TraceInputs {
 public:
  // Looks at what was given, folders too. `interrupted` must outlive this. Throws Error; of usage, where options are
  // wanted that segments were decoded without.
  TraceInputs(const ExtractOptions& options, const std::atomic<bool>& interrupted);

  // The run's, with what the segments say.
  const ExtractOptions& options() const { return options_; }
  const InputFiles& found() const { return found_; }
  // That are read.
  const std::vector<std::string>& files() const { return found_.files; }

  // `filter`: of the run, which must outlive the source; null if it has none. Throws Error.
  std::unique_ptr<TraceSource> open(const PacketFilter* filter = nullptr) const;

 private:
  void take_sets();

  ExtractOptions options_;
  const std::atomic<bool>& interrupted_;
  InputFiles found_;
  std::optional<SegmentSets> sets_;  // nothing: captures
};

}  // namespace warpmeter::inline pipeline
