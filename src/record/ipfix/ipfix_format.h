// The Exporting Process (RFC 7011): Flow Records to IPFIX Messages.
//
// Field by field what the other formats have: what does not apply to a record is not in its Template. All Templates go
// to the sink before the first record. Times, names and Templates: record_shape.h, ipfix_time.h, elements.h.
#pragma once

#include <memory>

#include "core/message_format.h"
#include "core/record_layout.h"
#include "record/ipfix/ipfix_options.h"

namespace warpmeter::inline record {

// Profiles that use fewer elements leave out what has none.
std::unique_ptr<MessageFormat> make_ipfix_format(const RecordLayout& layout, const IpfixOptions& options);

}  // namespace warpmeter::inline record
