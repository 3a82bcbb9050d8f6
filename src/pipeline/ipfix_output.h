// IPFIX as a format of `extract`, where it is built in.
#pragma once

#include <memory>

#include "ipfix/ipfix_options.h"
#include "warpmeter/byte_sink.h"
#include "warpmeter/record_writer.h"

namespace warpmeter {

// IPFIX needs libfixbuf, which is optional.
bool built_with_ipfix();

// An IPFIX File (RFC 5655); `file` must outlive the writer. Throws Error if IPFIX is not built in.
std::unique_ptr<RecordWriter> make_ipfix_file_writer(ByteSink& file, const RecordLayout& layout,
                                                     const IpfixOptions& options);

}  // namespace warpmeter
