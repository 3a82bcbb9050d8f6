#include "record/ipfix/ipfix_reader.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/files/found_file.h"
#include "core/byte_order.h"
#include "warpmeter/status.h"

namespace warpmeter::inline record {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 20;

bool is_message_header(const std::uint8_t* header) {
  return load_be16(header) == kIpfixVersion && load_be16(header + 2) >= kMessageHeader;
}

}  // namespace

MessageReader::MessageReader(const std::string& path) : name_(path == "-" ? "standard input" : path), buffer_(kBuffer) {
  if (path != "-") {
    file_ = open_input(path);
    if (!file_) throw Error(name_ + ": " + std::strerror(errno));
  }
  const std::size_t got = fill(kMessageHeader);
  if (got == 0) throw Error(name_ + ": the file is empty");
  if (got < kMessageHeader || !is_message_header(buffer_.data())) throw Error(name_ + ": not an IPFIX file");
}

// Makes sure that `wanted` bytes stand in the buffer, unless the file ends; how many do.
std::size_t MessageReader::fill(std::size_t wanted) {
  if (end_ - begin_ >= wanted) return end_ - begin_;
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  const int from = file_ ? file_.get() : STDIN_FILENO;
  while (end_ < wanted) {
    const ssize_t got = read(from, buffer_.data() + end_, buffer_.size() - end_);
    if (got == 0) break;
    if (got < 0 && errno != EINTR) throw Error(name_ + ": " + std::strerror(errno));
    if (got > 0) end_ += static_cast<std::size_t>(got);
  }
  return end_;
}

bool MessageReader::stop(std::string reason) {
  damage_ = ReadDamage{offset_, std::move(reason)};
  return false;
}

bool MessageReader::next(MessageView& message) {
  static_assert(kBuffer > kLargestMessage);
  if (damage_) return false;
  const std::size_t got = fill(kMessageHeader);
  if (got == 0) return false;
  if (got < kMessageHeader) return stop("the header of an IPFIX Message is cut short");
  const std::uint8_t* header = buffer_.data() + begin_;
  if (load_be16(header) != kIpfixVersion) {
    return stop("version " + std::to_string(load_be16(header)) + " where an IPFIX Message should begin");
  }
  const std::size_t size = load_be16(header + 2);
  if (size < kMessageHeader) return stop("an IPFIX Message of " + std::to_string(size) + " octets");
  if (fill(size) < size) return stop("an IPFIX Message is cut short");

  message.bytes = buffer_.data() + begin_;
  message.size = size;
  message.offset = offset_;
  message.export_time = load_be32(message.bytes + 4);
  message.domain = load_be32(message.bytes + 12);
  begin_ += size;
  offset_ += size;
  return true;
}

}  // namespace warpmeter::inline record
