// A format of Flow Records turns them into bytes, on any thread. A writer puts these bytes where they go: a file, a
// collector, or several of these. Who has Flow Records one by one writes them by way of a RecordStream.
#pragma once

#include <cstddef>
#include <memory>

#include "core/annotations.h"
#include "warpmeter/flow_record.h"

namespace warpmeter {

// Consecutive Flow Records of an output, encoded as far as they can be without those before. One thread at a time.
class RecordSection {
 public:
  virtual ~RecordSection() = default;
  // `reverse`: the other direction of a biflow (RFC 5103), null if there is none. Its key is the reversed one.
  virtual void write(const FlowRecord& record, const FlowRecord* reverse) = 0;
  // The same, of a Flow Record of which something is noted; of a biflow, of both directions. Formats without columns
  // for that leave it out.
  virtual void write_annotated(const FlowRecord& record, const FlowRecord* reverse, const Annotations&) {
    write(record, reverse);
  }
  virtual std::size_t bytes() const = 0;  // that it takes; 0 if it holds no records
};

class RecordFormat {
 public:
  virtual ~RecordFormat() = default;
  // From any thread, beside everything else. The section holds no records, and must not outlive the format.
  virtual std::unique_ptr<RecordSection> new_section() const = 0;
};

// Where Flow Records go, once they are encoded. Sections of its format come in output order, from one thread at a time.
// All but format() throw Error, with the name of the output.
class RecordWriter {
 public:
  virtual ~RecordWriter() = default;
  // Of the sections that it takes. From any thread, beside everything else.
  virtual const RecordFormat& format() const = 0;

  // Once, before the first append().
  virtual void begin() {}
  // Writes what the section holds, and leaves it empty. REQUIRES: format() made the section.
  virtual void append(RecordSection& section) = 0;
  // Between appends, of an output that goes on: who reads it sees what was appended, as far as the output is for that.
  virtual void flush() {}
  // Between appends, of an output that goes on: a file that is complete once something else has come, a time, is so
  // now.
  virtual void rotate() {}
  // Perhaps once, between the last append() and end(): does all of end() that may fail, but for giving files their
  // names. For outputs of which all are to be there or none.
  virtual void finish() {}
  // Perhaps once, between finish() and end(): a file gets its name, which take_back() undoes as long as end() was not
  // called. That throws nothing.
  virtual void name() {}
  virtual void take_back() {}
  // Once, after the last append(): what is still held goes out.
  virtual void end() {}
};

// Flow Records that come one by one, from one thread, on their way to a writer, which takes sections.
class RecordStream {
 public:
  // `writer` must outlive it. It gets sections of so many bytes.
  explicit RecordStream(RecordWriter& writer, std::size_t enough = kEnough)
      : writer_(writer), enough_(enough), section_(writer.format().new_section()) {}

  void write(const FlowRecord& record, const FlowRecord* reverse) {
    section_->write(record, reverse);
    if (section_->bytes() >= enough_) flush();
  }
  void write_annotated(const FlowRecord& record, const FlowRecord* reverse, const Annotations& annotations) {
    section_->write_annotated(record, reverse, annotations);
    if (section_->bytes() >= enough_) flush();
  }
  // To be called before the writer's finish() or end().
  void flush() { writer_.append(*section_); }

 private:
  static constexpr std::size_t kEnough = 32 << 10;  // stays in a core's cache
  RecordWriter& writer_;
  const std::size_t enough_;
  const std::unique_ptr<RecordSection> section_;
};

}  // namespace warpmeter
