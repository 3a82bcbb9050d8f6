// A file of a live capture whose Flow Records leave while it runs: they wait until the file is complete, and are in
// output order in it. One file at the end; or, with --rotate TIME, one for each interval of the clock in which records
// left, NAME.20260131T120000Z.csv by its beginning (UTC), or by that of the capture if that is later.
//
// Files appear under their names when they are complete, and with --rotate take no other's place: captures come again,
// and clocks are set back. An interval in which none left has no file.
//
// Where files cannot be written as a whole, they have what there is room for, the rest is counted, and the next one is
// tried again (kept_file.h). Where the folder in which records wait has no room, an interval's file is written at once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/one_by_one_writer.h"
#include "core/record_layout.h"
#include "flow/runs/run_store.h"
#include "record/text/file_format.h"
#include "record/write/file_writer.h"
#include "record/write/kept_file.h"
#include "record/write/output_options.h"

namespace warpmeter::inline record {

class HeldWriter : public OneByOneWriter {
 public:
  // `now`: ns since 1970, the clock if empty. Throws Error where no file can be written. `loss`: of files that cannot
  // be written later; null: that is thrown as well, and what they were to hold is tried again by the next flush().
  HeldWriter(const OutputOptions& options, const RecordLayout& layout, std::function<std::int64_t()> now = {},
             OutputLoss* loss = nullptr);

  void write(const FlowRecord& record, const FlowRecord* reverse) override { write_annotated(record, reverse, {}); }
  void write_annotated(const FlowRecord& record, const FlowRecord* reverse, const Annotations& annotations) override;
  // Writes the file of an interval that is over, or of whatever waits where files are named later; if that fails, those
  // before stay.
  void flush() override;
  // The same for the interval that it is, if records wait for its end.
  void rotate() override;
  void finish() override;
  void name() override;
  void take_back() override;
  void end() override;

 private:
  struct Interval {
    std::string name;  // empty: the whole
    RecordSums sums;
    std::unique_ptr<SortedRuns> records;  // null: none
  };

  void begin_interval();
  void hold(PartialChunk chunk);
  Interval taken_interval();
  std::unique_ptr<FileWriter> open_file(const std::string& interval) const;
  void write_file(const Interval& interval) const;
  void write_ended();
  void end_interval();

  const OutputOptions options_;
  const std::shared_ptr<const FileFormat> format_;
  const std::function<std::int64_t()> now_;
  OutputLoss* const loss_;
  const std::int64_t start_ns_;
  std::unique_ptr<RecordWriter> whole_;  // without intervals
  KeptFile* kept_whole_ = nullptr;       // the same, where it is one
  std::unique_ptr<RunStore> waiting_;
  PartialChunk chunk_;                    // on its way there
  RecordSums sums_;                       // of both
  std::string no_room_;                   // why more than that cannot wait for the one file; empty: it can
  std::int64_t interval_ns_ = INT64_MIN;  // in which what waits has left; INT64_MIN: nothing waits
  std::vector<Interval> ended_;           // whose files are to be written
  bool told_ = false, finished_ = false;  // told: that folder has no room
};

}  // namespace warpmeter::inline record
