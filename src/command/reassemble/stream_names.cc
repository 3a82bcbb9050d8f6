#include "command/reassemble/stream_names.h"

#include <algorithm>
#include <charconv>

#include "record/text/value_text.h"

namespace warpmeter::inline command {
namespace {

constexpr int kPacketDigits = 12;  // as many packets as a large trace has, so that names sort by them

}  // namespace

void StreamName::append(std::string_view text) {
  std::ranges::copy(text, text_.data() + size_);
  size_ += text.size();
}

// With zeros before it.
void StreamName::append_number(std::uint64_t number, int digits) {
  char text[20];
  const std::string_view shown(text, std::to_chars(text, text + sizeof text, number).ptr);
  for (int i = static_cast<int>(shown.size()); i < digits; ++i) text_[size_++] = '0';
  append(shown);
}

void StreamName::append_end(const std::uint8_t (&address)[16], const std::uint8_t (&port)[2], std::uint8_t version) {
  if (version == 4) {
    for (int i = 0; i < 4; ++i) {
      if (i > 0) append(".");
      append_number(address[i], 3);
    }
  } else {
    char text[kAddressText];
    append({text, write_address(text, address, version)});
  }
  append(".");
  append_number(port_number(port), 5);
}

void StreamName::append_ends(const FlowKey& key, std::uint64_t later) {
  append_end(key.source, key.source_port, key.version);
  append("-");
  append_end(key.destination, key.destination_port, key.version);
  if (later == 0) return;
  append("c");
  append_number(later, 1);
}

void StreamName::append_opened(const TcpConnection& connection) {
  append_number(connection.opened_packet, kPacketDigits);
  if (connection.opened_in_frame == 0) return;
  append("p");
  append_number(connection.opened_in_frame + 1u, 1);
}

StreamName StreamName::of_direction(const TcpConnection& connection, StreamSide side, StreamFileNames names,
                                    std::uint64_t later) {
  StreamName name;
  const bool client = side == StreamSide::client;
  if (names == StreamFileNames::numbered) {
    name.append_opened(connection);
    name.append(client ? "-client" : "-server");
  } else {
    name.append_ends(client ? connection.key : swapped(connection.key), later);
  }
  return name;
}

StreamName StreamName::of_connection(const TcpConnection& connection, StreamFileNames names, std::uint64_t later) {
  StreamName name;
  if (names == StreamFileNames::numbered) name.append_opened(connection);
  else name.append_ends(connection.key, later);
  return name;
}

}  // namespace warpmeter::inline command
