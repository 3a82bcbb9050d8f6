#include "pipeline/file_writer.h"

#include "pipeline/ipfix_output.h"

namespace warpmeter {
std::unique_ptr<RecordWriter> make_record_writer(const OutputOptions& options, OutputFile& file,
                                                 const RecordLayout& layout) {
  switch (options.format) {
    case Format::ipfix: return make_ipfix_file_writer(file, layout, options.ipfix);
    default: return make_text_writer(options.format, file, layout);
  }
}

bool can_write(Format format) {
  switch (format) {
    case Format::ipfix: return built_with_ipfix();
    default: return true;
  }
}

std::string why_not_written(Format format) {
  switch (format) {
    case Format::ipfix: return kWithoutIpfix;
    default: return "";
  }
}

FileWriter::FileWriter(const std::string& name, const OutputOptions& options, const RecordLayout& layout)
    : file_(name), writer_(make_record_writer(options, file_, layout)) {}

void FileWriter::end() {
  writer_->end();
  file_.commit();
}

}  // namespace warpmeter
