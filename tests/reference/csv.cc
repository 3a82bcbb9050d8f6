// One line a Flow Record; TCP columns stay empty for other protocols, and those only the exact method fills under the
// other.
#include "csv.h"

#include <arpa/inet.h>

#include <stdexcept>
#include <utility>

namespace reference {
namespace {

constexpr const char* header =
    "src_addr,dst_addr,src_port,dst_port,protocol,start_ns,end_ns,packets,bytes,payload_bytes,data_segments,"
    "retransmitted_segments,retransmitted_bytes,duplicate_packets,duplicate_bytes,out_of_order_segments,"
    "keep_alive_segments,missing_bytes,syn_count,fin_count,rst_count,zero_window_count,tcp_flags,connection_bytes,"
    "connection_ns,end_reason,stray_segments";
constexpr uint8_t tcp = 6;

std::string text(const Address& address, int version) {
  char buffer[INET6_ADDRSTRLEN];
  if (!inet_ntop(version == 4 ? AF_INET : AF_INET6, address.data(), buffer, sizeof buffer))
    throw std::runtime_error("inet_ntop failed");
  return buffer;
}

class Line {
 public:
  explicit Line(std::string first) : text_(std::move(first)) {}

  Line& add(const std::string& field) {
    text_ += ',' + field;
    return *this;
  }
  Line& add(int64_t value) { return add(std::to_string(value)); }
  Line& add_if(bool applicable, int64_t value) { return applicable ? add(value) : add(std::string()); }
  std::string end() const { return text_ + '\n'; }

 private:
  std::string text_;
};

std::string line(const Flow& flow, const Options& options) {
  const FlowKey& key = flow.key;
  const Counters& c = flow.counters;
  const bool is_tcp = key.protocol == tcp;
  const bool is_exact = is_tcp && options.method == Method::exact;
  const bool connected = is_tcp && flow.connection.has_value();
  const ConnectionValues connection = flow.connection.value_or(ConnectionValues{});
  Line line(text(key.source, key.version));
  line.add(text(key.destination, key.version)).add(key.source_port).add(key.destination_port).add(key.protocol);
  line.add(flow.start).add(flow.end).add(c.packets).add(c.bytes);
  line.add_if(is_tcp, c.payload_bytes).add_if(is_tcp, c.data_segments);
  line.add_if(is_tcp, c.retransmitted_segments).add_if(is_tcp, c.retransmitted_bytes);
  line.add(c.duplicate_packets).add(c.duplicate_bytes);
  line.add_if(is_exact, c.out_of_order_segments).add_if(is_exact, c.keep_alive_segments);
  line.add_if(is_exact, c.missing_bytes);
  line.add_if(is_tcp, c.syn_count).add_if(is_tcp, c.fin_count).add_if(is_tcp, c.rst_count);
  line.add_if(is_tcp, c.zero_window_count).add_if(is_tcp, c.tcp_flags);
  line.add_if(connected, connection.bytes).add_if(connected, connection.nanoseconds);
  line.add(static_cast<int>(flow.end_reason));
  line.add_if(is_exact, c.stray_segments);
  if (options.key_vlan) line.add(key.vlan);
  if (options.first_packet) line.add(flow.arrival);
  return line.end();
}

}  // namespace

std::string csv(const std::vector<Flow>& flows, const Options& options) {
  std::string out = header;
  if (options.key_vlan) out += ",vlan_id";
  out += options.first_packet ? ",first_packet\n" : "\n";
  for (const Flow& flow : flows) out += line(flow, options);
  return out;
}

}  // namespace reference
