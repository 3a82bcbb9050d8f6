// A file of a capture, which cannot be made again: where the disk has no room, or fails, the file gets its name with
// what could be written, and ends there as its format asks. Nothing is thrown; what is not in it is counted
// (OutputLoss).
//
// Lines and IPFIX may end behind any section: what was written of a later one is cut off. Compressed files and Parquet
// need an end of their own. Room for that, and for what is held in memory, is reserved before each section is taken;
// where there is no more, they end. If writing fails in spite of that, such a file is gone, and all that it held is
// lost.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/record_writer.h"
#include "core/thread_annotations.h"
#include "record/text/file_format.h"
#include "record/write/file_writer.h"
#include "warpmeter/flow_record.h"

namespace warpmeter::inline record {

// How many Flow Records, and how much traffic they tell of: what is lost with them, in one number each.
struct RecordSums {
  std::uint64_t records = 0;
  std::uint64_t packets = 0;
  std::uint64_t octets = 0;  // IP lengths, as of the column `bytes`

  void add(const FlowRecord& record) {
    ++records;
    packets += record.packets;
    octets += record.bytes;
  }
  void add(const RecordSums& other) {
    records += other.records;
    packets += other.packets;
    octets += other.octets;
  }
  // What is left without `part`, which it holds.
  RecordSums without(const RecordSums& part) const {
    return {records - part.records, packets - part.packets, octets - part.octets};
  }
};

struct OutputLossCounts {
  std::string output;  // as the user named it
  RecordSums lost;
  std::uint64_t files = 0;  // that are not complete, or are not there
  std::string problem;      // of the last of these; empty: there is none
  bool is_failing = false;  // the last file is one of these
};

// What did not come into the files of an output because they could not be written, while the run went on: counted, and
// told in one line when it begins and in one when it is over, not once a file.
//
// Threads: tell() by one at a time, the rest by any.
class OutputLoss {
 public:
  // `goes_on`: another file may come behind one that could not be written.
  OutputLoss(std::string output, bool goes_on);

  // A file was to hold `all` and holds `kept`. `problem`: why not all; empty where it does. Who reads the messages is
  // told when that changes.
  void tell(const RecordSums& all, const RecordSums& kept, const std::string& problem);

  OutputLossCounts counts() const;

 private:
  const bool goes_on_;
  mutable std::mutex mutex_;
  OutputLossCounts counts_ WARPMETER_GUARDED_BY(mutex_);
  OutputLossCounts when_it_began_ WARPMETER_GUARDED_BY(mutex_);
};

// "567 Flow Records (1234 packets, 99999 octets)"
std::string text_of(const RecordSums& sums);

// What each of them lost, in one line; empty if that is nothing.
std::string text_of(const std::vector<OutputLossCounts>& outputs);

// Sections of another format that know the sums of what was written into them, for who has to say what became of it.
// A biflow is one Flow Record with the traffic of both directions, as it is one row of a file.
//
// Threads: as of the other format and its sections (core/record_writer.h).
class CountedSection : public RecordSection {
 public:
  explicit CountedSection(const RecordFormat& format) : format_(format), inner_(format.new_section()) {}
  void write(const FlowRecord& record, const FlowRecord* reverse) override {
    count(record, reverse);
    inner_->write(record, reverse);
  }
  void write_annotated(const FlowRecord& record, const FlowRecord* reverse, const Annotations& annotations) override {
    count(record, reverse);
    inner_->write_annotated(record, reverse, annotations);
  }
  std::size_t bytes() const override { return inner_->bytes(); }

  RecordSection& inner() { return *inner_; }
  // What was written since it was asked last.
  RecordSums take_sums() { return std::exchange(sums_, {}); }
  // Forgets what it holds.
  void clear() {
    if (inner_->bytes() > 0) inner_ = format_.new_section();
  }

 private:
  void count(const FlowRecord& record, const FlowRecord* reverse) {
    sums_.add(record);
    if (reverse) sums_.packets += reverse->packets, sums_.octets += reverse->bytes;
  }

  const RecordFormat& format_;
  std::unique_ptr<RecordSection> inner_;
  RecordSums sums_;
};

class CountedFormat : public RecordFormat {
 public:
  // `format` must outlive it.
  explicit CountedFormat(const RecordFormat& format) : format_(format) {}
  std::unique_ptr<RecordSection> new_section() const override { return std::make_unique<CountedSection>(format_); }

 private:
  const RecordFormat& format_;
};

class KeptFile : public RecordWriter {
 public:
  // `open` makes the file, of this format; if it throws Error, there is none, and all is lost. `loss` must outlive
  // this.
  KeptFile(std::shared_ptr<const FileFormat> format, const std::function<std::unique_ptr<FileWriter>()>& open,
           OutputLoss& loss);

  const RecordFormat& format() const override { return counted_; }
  void begin() override;
  void append(RecordSection& section) override;
  void finish() override;
  // The file has its name, and the loss is told.
  void end() override;

  // What comes now is lost.
  bool is_full() const { return !problem_.empty(); }
  // All that was to come into it; `why` it was not appended, if it was not. Before finish().
  void was_to_hold(const RecordSums& all, const std::string& why);

 private:
  struct Mark {
    std::uint64_t bytes;  // of the file, behind a section
    RecordSums sums;      // of what is before
  };

  template <class Do>
  void attempt(Do&& what);
  void take(RecordSection& section, const RecordSums& sums);
  void forget_marks();
  bool make_room(std::uint64_t bytes);
  void cut();
  void drop();

  const std::shared_ptr<const FileFormat> format_;
  const CountedFormat counted_;
  OutputLoss& loss_;
  std::unique_ptr<FileWriter> file_;  // null: there is none, or none any more
  std::string problem_;
  bool broken_ = false, finished_ = false;  // broken: a write failed, so that the end of the file is not known
  RecordSums all_, taken_;
  std::deque<Mark> marks_{{0, {}}};  // the last one that is written for sure, and those behind it
};

}  // namespace warpmeter::inline record
