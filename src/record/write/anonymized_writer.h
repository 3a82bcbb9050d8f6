// --anonymize: Flow Records on their way to the outputs, with other addresses (address_anonymizer.h). Texts that a
// policy noted of them, such as names of servers, are left out; labels stay. Columns that follow from addresses, as
// community_id, follow from those that are written.
//
// With other addresses records belong into another order, so that they wait until all have come, in memory and, beyond
// a limit, in run files. Outputs of a capture that goes on take records in any order: there they pass at once.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/one_by_one_writer.h"
#include "core/record_layout.h"
#include "flow/runs/flow_cursor.h"
#include "flow/runs/run_file.h"
#include "record/write/address_anonymizer.h"
#include "warpmeter/biflow.h"

namespace warpmeter::inline record {

class AnonymizedWriter : public OneByOneWriter {
 public:
  struct Waiting {
    bool sorts = true;            // or records pass at once
    std::string tmpdir;           // for run files,
    std::uint64_t memory_limit;   // beyond so many bytes
    std::size_t fan_in = kFanIn;  // runs of a level that are merged into one
  };
  static constexpr std::size_t kFanIn = 16;

  // `layout`: of the output, as layout() made it.
  AnonymizedWriter(std::unique_ptr<RecordWriter> output, const AddressAnonymizer::Key& key, const RecordLayout& layout,
                   Waiting waiting);
  ~AnonymizedWriter() override;

  // What may name a host: texts of a policy, MAC addresses.
  static bool leaves_out(const ExtraColumn& column);
  // Without these columns.
  static RecordLayout layout(RecordLayout layout);

  void begin() override { output_->begin(); }
  void write(const FlowRecord& record, const FlowRecord* reverse) override {
    write_annotated(record, reverse, kNoAnnotations);
  }
  void write_annotated(const FlowRecord& record, const FlowRecord* reverse, const Annotations& annotations) override;
  void flush() override;
  void rotate() override;
  void finish() override;
  void name() override { output_->name(); }
  void take_back() override { output_->take_back(); }
  void end() override;

 private:
  struct Flow {
    Biflow flow;
    Annotations noted;
  };
  class SortedFlows;
  using Runs = std::vector<std::shared_ptr<const RunFile>>;

  Annex anonymized(Annex annex);
  void write_run();
  void add_run(std::shared_ptr<const RunFile> run, std::size_t level);
  void pass(const Biflow& flow, const Annotations& noted);
  void give_all();

  const std::unique_ptr<RecordWriter> output_;
  AddressAnonymizer anonymizer_;
  const Waiting waiting_;
  const MergeOrder order_;
  std::vector<std::uint32_t> lists_;  // columns of annotations that stay
  std::unique_ptr<RecordStream> stream_;
  std::vector<Flow> flows_;
  std::uint64_t bytes_ = 0;   // of these
  std::vector<Runs> levels_;  // of runs that were merged so many times
  bool given_ = false;
};

}  // namespace warpmeter::inline record
