#include "pipeline/record_output.h"

#include "warpmeter/status.h"

namespace warpmeter {

std::unique_ptr<RecordWriter> make_record_writer(Format format, OutputFile& output, const RecordLayout& layout) {
  switch (format) {
    case Format::csv:
    case Format::json:
    case Format::table: break;
    case Format::ipfix: throw Error("this build cannot write IPFIX (no libfixbuf)", ExitStatus::usage);
    case Format::parquet: throw Error("this build cannot write Parquet (no Apache Arrow)", ExitStatus::usage);
  }
  return make_text_writer(format, output, layout);
}

}  // namespace warpmeter
