#include "record/ipfix/ipfix_file_sink.h"

#include <utility>

#include "core/ipfix_header.h"

namespace warpmeter::inline record {

std::size_t IpfixFileSink::largest_message() const { return kLargestMessage; }

void IpfixFileSink::begin(std::vector<IpfixMessage> templates) {
  for (IpfixMessage& message : templates) send(std::move(message));
}

void IpfixFileSink::add_templates(IpfixMessage message) { send(std::move(message)); }

void IpfixFileSink::send(IpfixMessage message) {
  set_sequence_number(message, records_);
  records_ += message.records;
  bytes_ += message.bytes.size();
  file_.write(message.bytes.data(), message.bytes.size());
}

}  // namespace warpmeter::inline record
