#include "truth.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

namespace traffic_gen {
namespace {

void account_any(Direction& d, uint32_t ip_length, uint64_t time) {
  if (d.counts[kPackets]++ == 0) d.start = time;
  d.end = time;
  d.counts[kBytes] += ip_length;
}

uint64_t missing_bytes(const Direction& d) { return d.touched ? d.highest - d.lowest - d.fresh : 0; }

// ICMP's key holds type and code in the place of the destination port.
void key_ports(const Tuple& t, Side side, unsigned& source, unsigned& destination) {
  source = t.ports[side];
  destination = t.ports[other(side)];
  if (t.protocol != kIcmp && t.protocol != kIcmpV6) return;
  source = 0;
  if (t.version == 4) destination = side == kClient ? 8 << 8 : 0;
  else destination = (side == kClient ? 128 : 129) << 8;
}

}  // namespace

void account(Direction& d, const Tuple& tuple, const Planned& p, uint32_t ip_length, uint64_t time) {
  account_any(d, ip_length, time);
  if (tuple.protocol != kTcp) return;
  Counters& n = d.counts;
  n[kSynCount] += (p.flags & kSyn) != 0;
  n[kFinCount] += (p.flags & kFin) != 0;
  n[kRstCount] += (p.flags & kRst) != 0;
  if (p.flags & kRst) return;
  n[kZeroWindowCount] += p.window == 0;
  n[kDataSegments] += p.length > 0;
  n[kPayloadBytes] += p.length;
  n[kRetransmittedSegments] += p.again > 0;
  n[kRetransmittedBytes] += p.again;
  n[kOutOfOrderSegments] += p.out_of_order;
  n[kKeepAliveSegments] += p.keep_alive;
  const uint64_t end = p.offset + p.length + ((p.flags & kSyn) != 0) + ((p.flags & kFin) != 0);
  d.lowest = d.touched ? std::min(d.lowest, p.offset) : p.offset;
  d.highest = std::max(d.highest, end);
  d.fresh += p.fresh;
  d.touched = true;
}

void account_copy(Direction& d, uint32_t ip_length, uint64_t time) {
  account_any(d, ip_length, time);
  d.counts[kDuplicatePackets]++;
  d.counts[kDuplicateBytes] += ip_length;
}

Truth::Truth(const Options& options)
    : options_(options), totals_file_(open(options.truth)), flows_file_(open(options.truth_flows)) {
  if (!flows_file_) return;
  std::fputs("src_addr,dst_addr,src_port,dst_port,protocol,start_ns,end_ns", flows_file_.get());
  for (const char* name : kCounterNames) std::fprintf(flows_file_.get(), ",%s", name);
  std::fputc('\n', flows_file_.get());
}

Truth::File Truth::open(const std::string& path) {
  File file(nullptr, std::fclose);
  if (path.empty()) return file;
  file.reset(std::fopen(path.c_str(), "w"));
  if (!file && error_.empty()) error_ = path + ": " + std::strerror(errno);
  return file;
}

void Truth::close(File& file, const std::string& path) {
  if (!file) return;
  const bool written = std::ferror(file.get()) == 0;
  if ((std::fclose(file.release()) != 0 || !written) && error_.empty()) error_ = path + ": " + std::strerror(errno);
}

void Truth::add(const Connection& connection) {
  for (const Side side : {kClient, kServer}) {
    const Direction& d = connection.directions[side];
    if (d.counts[kPackets] == 0) continue;
    Counters counts = d.counts;
    counts[kMissingBytes] = missing_bytes(d);
    for (size_t i = 0; i < kCounterCount; i++) totals_[i] += counts[i];
    flows_++;
    if (d.touched) count(Trait::kWrap, (d.isn + d.highest) >> 32);
    if (flows_file_) row(connection, side, counts);
  }
}

void Truth::row(const Connection& connection, Side side, const Counters& counts) {
  const Tuple& t = connection.tuple;
  const int family = t.version == 4 ? AF_INET : AF_INET6;
  char source[INET6_ADDRSTRLEN], destination[INET6_ADDRSTRLEN];
  inet_ntop(family, t.address[side], source, sizeof source);
  inet_ntop(family, t.address[other(side)], destination, sizeof destination);
  unsigned source_port, destination_port;
  key_ports(t, side, source_port, destination_port);
  const Direction& d = connection.directions[side];
  std::FILE* file = flows_file_.get();
  std::fprintf(file, "%s,%s,%u,%u,%u,%llu,%llu", source, destination, source_port, destination_port, t.protocol,
               static_cast<unsigned long long>(d.start), static_cast<unsigned long long>(d.end));
  for (size_t i = 0; i < kCounterCount; i++) {
    if (t.protocol == kTcp || counts_any_protocol(i))
      std::fprintf(file, ",%llu", static_cast<unsigned long long>(counts[i]));
    else std::fputc(',', file);
  }
  std::fputc('\n', file);
}

std::string Truth::json(uint64_t frames, bool complete) const {
  const Options& o = options_;
  nlohmann::ordered_json out;
  out["options"] = {{"seed", o.seed},
                    {"packets", o.packets},
                    {"flows", o.flows},
                    {"rate", o.rate},
                    {"mean_packets", o.mean_packets},
                    {"frame_size", o.frame_size},
                    {"snaplen", o.snaplen},
                    {"microseconds", o.microseconds},
                    {"clean", o.clean},
                    {"ipv6", o.ipv6},
                    {"vlan", o.vlan},
                    {"udp", o.udp},
                    {"icmp", o.icmp},
                    {"reset", o.reset},
                    {"port_reuse", o.port_reuse},
                    {"mid_stream", o.mid_stream},
                    {"loss", o.loss},
                    {"retransmit", o.retransmit},
                    {"reorder", o.reorder},
                    {"keep_alive", o.keep_alive},
                    {"zero_window", o.zero_window},
                    {"duplicate", o.duplicate}};
  const Options usual;
  if (o.first_connection != usual.first_connection) out["options"]["first_connection"] = o.first_connection;
  if (o.start != usual.start) out["options"]["start"] = o.start;
  if (o.structural != usual.structural) out["options"]["structural"] = o.structural;
  if (o.retransmit_wait != usual.retransmit_wait) out["options"]["retransmit_wait"] = o.retransmit_wait;
  out["complete"] = complete;
  out["frames"] = frames;
  out["flows"] = flows_;
  for (size_t i = 0; i < kCounterCount; i++) out["totals"][kCounterNames[i]] = totals_[i];
  for (size_t i = 1; i < std::size(kinds_); i++) out["kinds"][kKindNames[i]] = kinds_[i];
  for (size_t i = 0; i < std::size(traits_); i++) out["connections"][kTraitNames[i]] = traits_[i];
  return out.dump(1);
}

void Truth::finish(uint64_t frames, bool complete) {
  if (totals_file_) std::fprintf(totals_file_.get(), "%s\n", json(frames, complete).c_str());
  close(totals_file_, options_.truth);
  close(flows_file_, options_.truth_flows);
}

}  // namespace traffic_gen
