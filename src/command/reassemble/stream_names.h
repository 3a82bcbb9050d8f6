// What files of streams are called: as tcpflow calls them, 010.000.000.001.00080-192.168.000.002.54321 for what the
// first end sent to the second, with c1, c2 ... behind it for later connections of the same ends; or by the packet that
// made the connection known, p2, p3 ... behind it for later ones of the same frame.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "command/reassemble/reassemble.h"
#include "warpmeter/tcp_stream.h"

namespace warpmeter::inline command {

// A name, and a zero behind it.
class StreamName {
 public:
  // `later`: how many connections of these ends came before.
  static StreamName of_direction(const TcpConnection& connection, StreamSide side, StreamFileNames names,
                                 std::uint64_t later);
  static StreamName of_connection(const TcpConnection& connection, StreamFileNames names, std::uint64_t later);

  const char* c_str() const { return text_.data(); }
  std::string_view view() const { return {text_.data(), size_}; }

 private:
  void append(std::string_view text);
  void append_number(std::uint64_t number, int digits);
  void append_end(const std::uint8_t (&address)[16], const std::uint8_t (&port)[2], std::uint8_t version);
  void append_opened(const TcpConnection& connection);
  void append_ends(const FlowKey& key, std::uint64_t later);

  std::array<char, 160> text_{};
  std::size_t size_ = 0;
};

}  // namespace warpmeter::inline command
