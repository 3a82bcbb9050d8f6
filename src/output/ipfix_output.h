// IPFIX as a format of `extract`, where it is built in.
#pragma once

#include <memory>

#include "ipfix/ipfix_options.h"
#include "warpmeter/byte_sink.h"
#include "warpmeter/message_sink.h"
#include "warpmeter/record_writer.h"

namespace warpmeter {

// What users are told where it is not.
inline constexpr const char* kWithoutIpfix =
    "IPFIX is not built in: libfixbuf was not there (tools/setup build gets it)";

// IPFIX needs libfixbuf, which is optional.
bool built_with_ipfix();

// An IPFIX File (RFC 5655); `file` must outlive the writer. Throws Error if IPFIX is not built in.
std::unique_ptr<RecordWriter> make_ipfix_file_writer(ByteSink& file, const RecordLayout& layout,
                                                     const IpfixOptions& options);

// The same to messages; `sink` must outlive the writer.
std::unique_ptr<RecordWriter> make_ipfix_writer_for(MessageSink& sink, const RecordLayout& layout,
                                                    const IpfixOptions& options);

}  // namespace warpmeter
