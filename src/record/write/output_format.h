// The formats of outputs: text (record/text), and IPFIX and Parquet, which need libraries.
#pragma once

#include <memory>
#include <string>

#include "core/message_format.h"
#include "core/record_layout.h"
#include "record/ipfix/ipfix_options.h"
#include "record/text/file_format.h"
#include "record/write/output_options.h"

namespace warpmeter::inline record {

// Some formats need libraries that may not have been there when this program was built. Throws Error where one was, and
// is gone.
bool can_write(Format format);
std::string why_not_written(Format format);  // one line, for users

// Formats for reading by other programs that hold whole Flow Records and nothing else: no choice of columns, no sums.
inline bool holds_records_only(Format format) { return format == Format::ipfix || format == Format::parquet; }

// The options' format, for one file or many. Throws Error where this build cannot write it.
std::unique_ptr<FileFormat> make_file_format(const OutputOptions& options, const RecordLayout& layout);

// IPFIX needs libfixbuf, which is optional.
bool built_with_ipfix();

// What users are told where it is not.
inline constexpr const char* kWithoutIpfix =
    "IPFIX is not built in: libfixbuf was not there (tools/setup build gets it)";

// IPFIX Files (RFC 5655). Throws Error if IPFIX is not built in.
std::unique_ptr<FileFormat> make_ipfix_file_format(const RecordLayout& layout, const IpfixOptions& options);

// The same in messages.
std::unique_ptr<MessageFormat> make_ipfix_messages(const RecordLayout& layout, const IpfixOptions& options);

// Parquet, encoded column by column on the thread that appends. Its files throw Error like require_parquet()
// (parquet_files.h).
std::unique_ptr<FileFormat> make_parquet_format(const RecordLayout& layout);

}  // namespace warpmeter::inline record
