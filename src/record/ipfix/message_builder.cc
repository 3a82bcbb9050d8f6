#include "record/ipfix/message_builder.h"

#include <algorithm>
#include <utility>

#include "core/ipfix_header.h"
#include "warpmeter/status.h"

namespace warpmeter::inline record {

MessageBuilder::MessageBuilder(MessageSink& sink, std::uint32_t domain)
    : sink_(sink), domain_(domain), largest_(std::min(sink.largest_message(), kLargestMessage)) {}

std::uint8_t* MessageBuilder::room(std::uint16_t template_id, std::size_t octets, std::int64_t end_ns) {
  const std::size_t header = template_id == template_id_ ? 0 : kSetHeader;
  if (fill_ == 0 || fill_ + header + octets > largest_) {
    flush();
    if (kMessageHeader + kSetHeader + octets > largest_)
      throw Error("a Flow Record does not fit into an IPFIX Message");
    start_message();
  }
  if (template_id != template_id_) {
    close_set();
    set_ = fill_;
    template_id_ = template_id;
    store_be16(&message_.bytes[set_], template_id);
    fill_ += kSetHeader;
  }
  std::uint8_t* record = &message_.bytes[fill_];
  fill_ += octets;
  ++message_.records;
  latest_ns_ = std::max(latest_ns_, end_ns);
  return record;
}

std::uint8_t* MessageBuilder::room_of_options(std::uint16_t template_id, std::size_t octets) {
  std::uint8_t* const record = room(template_id, octets, 0);
  ++message_.options_records;
  return record;
}

std::uint32_t MessageBuilder::export_time() const { return export_second(latest_ns_); }

void MessageBuilder::start_message() {
  message_.bytes.resize(largest_);
  message_.records = message_.options_records = 0;
  store_be16(&message_.bytes[0], kIpfixVersion);
  set_sequence_number(message_, 0);
  store_be32(&message_.bytes[12], domain_);
  fill_ = kMessageHeader;
  set_ = 0;
  template_id_ = 0;
}

void MessageBuilder::close_set() {
  if (set_ != 0) store_be16(&message_.bytes[set_ + 2], static_cast<std::uint16_t>(fill_ - set_));
}

void MessageBuilder::flush() {
  if (fill_ == 0) return;
  close_set();
  message_.bytes.resize(fill_);
  store_be16(&message_.bytes[2], static_cast<std::uint16_t>(fill_));
  set_export_time(message_, export_time());
  fill_ = 0;
  template_id_ = 0;
  sink_.send(std::exchange(message_, {}));
}

}  // namespace warpmeter::inline record
