// The formats that this folder writes.
#pragma once

#include <memory>

#include "export/output_file.h"
#include "warpmeter/record_writer.h"

namespace warpmeter {

enum class Format { csv, json, table, ipfix, parquet };

// Of csv, json and table. `output` must outlive the writer. REQUIRES: no other format.
std::unique_ptr<RecordWriter> make_text_writer(Format format, OutputFile& output, const RecordLayout& layout);

}  // namespace warpmeter
