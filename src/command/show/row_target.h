// Who gets the rows of `show`: a file, or a program that takes them itself.
#pragma once

#include <memory>
#include <vector>

#include "command/show/field_text.h"
#include "command/show/row_output.h"
#include "command/show/show_options.h"

namespace warpmeter::inline command {

struct RowTarget {
  Audience audience = Audience::program;
  TimeForm times = TimeForm::ns;
  std::unique_ptr<RowOutput> rows;
};

// REQUIRES: the options are of a run with such a one. `output` must outlive what is returned.
inline RowTarget file_target(const ShowOptions& options, OutputFile& output) {
  return {options.output.format == Format::table ? Audience::person : Audience::program, options.output.times,
          make_row_output(options.output, output)};
}

// Its moments have types, so that no text of them is needed.
inline RowTarget program_target(const ShowOptions& options) {
  const TimeForm times = options.output.times == TimeForm::us ? TimeForm::us : TimeForm::ns;
  return {Audience::program, times, options.row_taker()};
}

}  // namespace warpmeter::inline command
