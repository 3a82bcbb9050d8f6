#include "record/write/rotating_writer.h"

#include <fmt/format.h>

#include "base/files/file_name.h"
#include "record/write/output_format.h"
#include "record/write/rotated_file.h"

namespace warpmeter::inline record {

RotatingWriter::RotatingWriter(const OutputOptions& options, const RecordLayout& layout)
    : options_(options), format_(make_file_format(options, layout)) {
  try_rotated_file(options_);
}

void RotatingWriter::begin() {
  if (options_.beside_earlier) number_ = last_rotated(options_.file);
  open_next();
}

void RotatingWriter::open_next() { current_ = open_rotated_file(fmt::format("{:06}", ++number_), options_, format_); }

void RotatingWriter::append(RecordSection& section) {
  while (section.bytes() > 0) {
    if (current_->bytes() >= options_.rotate_bytes) {
      current_->end();
      open_next();
    }
    current_->fill(section, options_.rotate_bytes);
  }
}

std::string RotatingWriter::left_over() const {
  if (options_.beside_earlier) return "";  // they are to stay
  return rotated_beyond(options_.file, number_);
}

}  // namespace warpmeter::inline record
