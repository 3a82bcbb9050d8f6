// Formats in which a Flow Record's line depends on nothing but the Flow Record: in sections, the lines are ready.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "core/record_layout.h"
#include "record/text/file_format.h"

namespace warpmeter::inline record {

// Writes the line of a Flow Record to `to`; returns its end.
using LineWriter = char* (*)(char* to, const FlowRecord& record, const FlowRecord* reverse, const Annotations& noted,
                             const RecordLayout& layout);

class LineFormat : public FileFormat {
 public:
  // `most`: bytes that a line of this layout may store, without annotations; a section has room for them before each
  // line, and throws std::logic_error behind a line that took more. `header`: what a file begins with. No line has line
  // ends within.
  LineFormat(LineWriter write_line, std::size_t most, const RecordLayout& layout, std::string header)
      : write_line_(write_line), most_(most), layout_(layout), header_(std::move(header)) {}

  std::size_t most_of_line() const { return most_; }

  std::unique_ptr<RecordSection> new_section() const override;
  std::unique_ptr<FormattedFile> new_file(OutputFile& file) const override;

 private:
  const LineWriter write_line_;
  const std::size_t most_;
  const RecordLayout layout_;
  const std::string header_;
};

}  // namespace warpmeter::inline record
