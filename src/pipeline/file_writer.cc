#include "pipeline/file_writer.h"

namespace warpmeter {

FileWriter::FileWriter(const std::string& name, const OutputOptions& options, const RecordLayout& layout)
    : file_(name), writer_(make_text_writer(options.format, file_, layout)) {}

void FileWriter::end() {
  writer_->end();
  file_.commit();
}

}  // namespace warpmeter
