// Streams as JSON, one line a connection.
#include <arpa/inet.h>

#include <initializer_list>
#include <stdexcept>

#include "oracle_sha256.h"
#include "oracle_streams.h"

namespace reference {
namespace {

std::string quoted(const std::string& text) { return '"' + text + '"'; }  // of words and addresses
std::string text(bool value) { return value ? "true" : "false"; }

std::string side_word(Side side) { return quoted(side == client ? "client" : "server"); }

std::string object(std::initializer_list<std::pair<const char*, std::string>> members) {
  std::string out;
  for (const auto& [name, value] : members) out += (out.empty() ? "{" : ", ") + quoted(name) + ": " + value;
  return out + '}';
}

template <typename List, typename Text>
std::string array(const List& list, Text text_of) {
  std::string out;
  for (const auto& element : list) out += (out.empty() ? "[" : ", ") + text_of(element);
  return out.empty() ? "[]" : out + ']';
}

std::string address(const Endpoint& end, int version) {
  char buffer[INET6_ADDRSTRLEN];
  if (!inet_ntop(version == 4 ? AF_INET : AF_INET6, end.address.data(), buffer, sizeof buffer))
    throw std::runtime_error("inet_ntop failed");
  return quoted(buffer);
}

std::string way_text(const StreamWay& way) {
  const StreamCounts& c = way.counts;
  const auto number = [](int64_t value) { return std::to_string(value); };
  const auto gap = [&](const auto& gap) { return '[' + number(gap.first) + ", " + number(gap.second) + ']'; };
  return object({{"segments", number(c.segments)},
                 {"data_segments", number(c.data_segments)},
                 {"submitted_bytes", number(c.submitted_bytes)},
                 {"repeated_segments", number(c.repeated_segments)},
                 {"repeated_bytes", number(c.repeated_bytes)},
                 {"conflicting_bytes", number(c.conflicting_bytes)},
                 {"late_bytes", number(c.late_bytes)},
                 {"cut_bytes", number(c.cut_bytes)},
                 {"out_of_order_segments", number(c.out_of_order_segments)},
                 {"gap_bytes", number(c.gap_bytes)},
                 {"syn", text(way.syn)},
                 {"fin", text(way.fin)},
                 {"finished", text(way.finished)},
                 {"complete", text(way.complete)},
                 {"gaps", array(way.gaps, gap)}});
}

std::string part_text(const StreamPart& part) {
  return '[' + side_word(part.side) + ", " + std::to_string(part.offset) + ", " + std::to_string(part.bytes.size()) +
         ", " + std::to_string(part.gap) + ", " + quoted(sha256(part.bytes)) + ']';
}

std::string block_text(const StreamBlock& block) {
  return object({{"reason", quoted(word(block.reason))},
                 {"packet", block.packet == 0 ? "null" : std::to_string(block.packet)},
                 {"subblocks", array(block.parts, part_text)}});
}

std::string connection_text(const StreamConnection& connection) {
  const auto& [client_end, server_end] = connection.ends;
  return '\n' + object({{"client", address(client_end, connection.version)},
                        {"client_port", std::to_string(client_end.port)},
                        {"server", address(server_end, connection.version)},
                        {"server_port", std::to_string(server_end.port)},
                        {"opened_packet", std::to_string(connection.opened_packet)},
                        {"opened_ns", std::to_string(connection.opened_time)},
                        {"last_ns", std::to_string(connection.latest_time)},
                        {"end", quoted(word(connection.end))},
                        {"max_buffered", std::to_string(connection.max_buffered)},
                        {"directions", object({{"client", way_text(connection.ways[client])},
                                               {"server", way_text(connection.ways[server])}})},
                        {"blocks", array(connection.blocks, block_text)}});
}

}  // namespace

const char* word(Reason reason) {
  switch (reason) {
    case Reason::size: return "size";
    case Reason::fin: return "fin";
    case Reason::rst: return "rst";
    case Reason::timeout: return "timeout";
    case Reason::reuse: return "reuse";
    case Reason::end: return "end";
    case Reason::none: break;
  }
  return "none";
}

std::string json(const Streams& streams) {
  return object({{"connections", array(streams.connections, connection_text)},
                 {"stray_segments", std::to_string(streams.stray_segments)}}) +
         '\n';
}

}  // namespace reference
