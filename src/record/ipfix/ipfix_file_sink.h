// IPFIX Files (RFC 5655): Templates first, then Data Records; Sequence Numbers count the file's Data Records.
#pragma once

#include <cstdint>

#include "core/byte_sink.h"
#include "core/message_sink.h"

namespace warpmeter::inline record {

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
