// The IPFIX Messages (RFC 7011, section 3.1) of a file (RFC 5655) or of standard input, one after the other.
//
// A file is a row of messages and nothing else. Each tells its length, so that one which cannot be made sense of inside
// hides nothing behind it; but where a header is wrong, nobody knows where the next one begins, and reading ends.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/files/descriptor.h"
#include "core/ipfix_header.h"
#include "core/record_reader.h"

namespace warpmeter::inline record {

struct MessageView {
  std::uint64_t offset = 0;  // of its header, in the file
  std::uint32_t export_time = 0;
  std::uint32_t domain = 0;
  const std::uint8_t* bytes = nullptr;  // header included; valid until the next next()
  std::size_t size = 0;                 // at least kMessageHeader
};

class MessageReader {
 public:
  // "-" is standard input. Throws Error, naming the file, if it cannot be opened, is empty or does not begin with an
  // IPFIX Message.
  explicit MessageReader(const std::string& path);

  // False at the end, or at damage. Throws Error if the file cannot be read any more.
  bool next(MessageView& message);

  // After next() returned false.
  const std::optional<ReadDamage>& damage() const { return damage_; }

 private:
  std::size_t fill(std::size_t wanted);
  bool stop(std::string reason);

  std::string name_;
  Descriptor file_;  // none: standard input
  std::vector<std::uint8_t> buffer_;
  std::size_t begin_ = 0;  // of what has not been handed out, in buffer_
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;  // of begin_, in the file
  std::optional<ReadDamage> damage_;
};

}  // namespace warpmeter::inline record
