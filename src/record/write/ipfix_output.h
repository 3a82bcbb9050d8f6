// IPFIX as a format of outputs, where it is built in.
#pragma once

#include <memory>

#include "core/message_format.h"
#include "core/record_layout.h"
#include "record/ipfix/ipfix_options.h"
#include "record/text/file_format.h"

namespace warpmeter::inline record {

// What users are told where it is not.
inline constexpr const char* kWithoutIpfix =
    "IPFIX is not built in: libfixbuf was not there (tools/setup build gets it)";

// IPFIX needs libfixbuf, which is optional.
bool built_with_ipfix();

// IPFIX Files (RFC 5655). Throws Error if IPFIX is not built in.
std::unique_ptr<FileFormat> make_ipfix_file_format(const RecordLayout& layout, const IpfixOptions& options);

// The same in messages.
std::unique_ptr<MessageFormat> make_ipfix_messages(const RecordLayout& layout, const IpfixOptions& options);

}  // namespace warpmeter::inline record
