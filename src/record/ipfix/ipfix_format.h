// The Exporting Process (RFC 7011): Flow Records to IPFIX Messages.
//
// Field by field what the other formats have: what does not apply to a record is not in its Template. All Templates go
// to the sink before the first record. Times, names and Templates: record_shape.h, message_builder.h, info_model.h.
// The messages go to a collector, or to a file (RFC 5655).
#pragma once

#include <cstdint>
#include <memory>

#include "core/byte_sink.h"
#include "core/message_format.h"
#include "core/record_layout.h"
#include "record/ipfix/ipfix_options.h"

namespace warpmeter::inline record {

// Profiles that use fewer elements leave out what has none.
std::unique_ptr<MessageFormat> make_ipfix_format(const RecordLayout& layout, const IpfixOptions& options);

// IPFIX Files (RFC 5655): Templates first, then Data Records; Sequence Numbers count the file's Data Records.
class IpfixFileSink : public MessageSink {
 public:
  // `file` must outlive it.
  explicit IpfixFileSink(ByteSink& file) : file_(file) {}

  std::size_t largest_message() const override;
  void begin(std::vector<IpfixMessage> templates) override;
  void add_templates(IpfixMessage message) override;
  void send(IpfixMessage message) override;
  // From then on, whether it has so many bytes.
  void full_at(std::uint64_t bytes) { full_ = bytes; }
  bool full() const override { return bytes_ >= full_; }
  void end() override {}

 private:
  ByteSink& file_;
  std::uint64_t bytes_ = 0, full_ = UINT64_MAX;
  std::uint32_t records_ = 0;  // modulo 2^32, as Sequence Numbers are
};

}  // namespace warpmeter::inline record
