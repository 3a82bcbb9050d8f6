#include "pipeline/record_output.h"

#include <utility>

#include "pipeline/file_writer.h"
#include "pipeline/rotating_writer.h"
#include "pipeline/writer_thread.h"

namespace warpmeter {

std::unique_ptr<RecordWriter> open_output(const OutputOptions& options, const RecordLayout& layout, bool own_thread) {
  std::unique_ptr<RecordWriter> writer;
  if (options.rotate_bytes || options.rotate_ns) {
    writer = std::make_unique<RotatingWriter>(options, layout);
  } else {
    writer = std::make_unique<FileWriter>(options.file, options, layout);
  }
  if (own_thread) writer = std::make_unique<WriterThread>(std::move(writer));
  return writer;
}

}  // namespace warpmeter
