// Formats in which a Flow Record's line depends on nothing but the Flow Record: in sections, the lines are ready.
#pragma once

#include <memory>
#include <string>

#include "core/record_layout.h"
#include "record/text/file_format.h"

namespace warpmeter::inline record {

// Writes the line of a Flow Record to `to`, at most kLongestLine characters; returns its end.
using LineWriter = char* (*)(char* to, const FlowRecord& record, const FlowRecord* reverse, const RecordLayout& layout);

inline constexpr std::size_t kLongestLine = 4096;

class LineFormat : public FileFormat {
 public:
  // `header`: what a file begins with. No line has line ends within.
  LineFormat(LineWriter write_line, const RecordLayout& layout, std::string header)
      : write_line_(write_line), layout_(layout), header_(std::move(header)) {}

  std::unique_ptr<RecordSection> new_section() const override;
  std::unique_ptr<FormattedFile> new_file(OutputFile& file) const override;

 private:
  const LineWriter write_line_;
  const RecordLayout layout_;
  const std::string header_;
};

}  // namespace warpmeter::inline record
