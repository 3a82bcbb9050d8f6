#include "record/collector/datagram_sender.h"

#include <fmt/format.h>
#include <netinet/in.h>

#include <algorithm>
#include <cerrno>
#include <thread>
#include <utility>

#include "warpmeter/status.h"

namespace warpmeter::inline record {
namespace {

constexpr std::size_t kHeadersOfIpv4 = 20 + 8, kHeadersOfIpv6 = 40 + 8;
constexpr std::chrono::milliseconds kLateRefusal(200);
constexpr std::chrono::milliseconds kMoment(1000);
constexpr int kAttempts = 10;

// Larger datagrams than the path takes arrive in fragments: better than not at all.
void allow_fragments(int socket, int family) {
  const int v4 = IP_PMTUDISC_DONT, v6 = IPV6_PMTUDISC_DONT;
  if (family == AF_INET6) setsockopt(socket, IPPROTO_IPV6, IPV6_MTU_DISCOVER, &v6, sizeof v6);
  else setsockopt(socket, IPPROTO_IP, IP_MTU_DISCOVER, &v4, sizeof v4);
}

}  // namespace

DatagramSender::DatagramSender(const CollectorOptions& options, std::vector<SocketAddress> addresses)
    : name_(options.address.name()),
      warn_(options.warn),
      addresses_(std::move(addresses)),
      pace_(options.records_per_second, options.interrupted, options.gives_up) {
  if (options.mtu < kSmallestMtu || options.mtu > kLargestMtu) {
    throw Error(fmt::format("{}: an MTU of {} bytes: {} to {}", name_, options.mtu, kSmallestMtu, kLargestMtu),
                ExitStatus::usage);
  }
  const bool ipv6 =
      std::any_of(addresses_.begin(), addresses_.end(), [](const auto& a) { return a.family() == AF_INET6; });
  largest_ = options.mtu - (ipv6 ? kHeadersOfIpv6 : kHeadersOfIpv4);
  while (!connect_to(addresses_[at_])) {
    if (++at_ == addresses_.size()) throw Error(fmt::format("{}: no way there: {}", name_, error_text(errno)));
  }
}

bool DatagramSender::connect_to(const SocketAddress& address) {
  socket_ = Descriptor(socket(address.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket_) return false;
  allow_fragments(socket_.get(), address.family());
  return connect(socket_.get(), address.get(), address.size) == 0;
}

bool DatagramSender::send(const std::vector<std::uint8_t>& bytes, std::uint64_t records, std::uint64_t flow_records) {
  if (!begun_) begun_ = std::chrono::steady_clock::now();
  flow_records_ += flow_records;
  if (!pace_.wait_for(records)) {
    too_late_ += flow_records;
    return false;
  }
  const bool sent = send_now(bytes);
  warn_of_trouble();
  return sent;
}

bool DatagramSender::send_now(const std::vector<std::uint8_t>& bytes) {
  int error = 0;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) >= 0) {
      ++counters_.messages;
      counters_.bytes += bytes.size();
      return true;
    }
    error = errno;
    if (error == ECONNREFUSED)
      ++counters_.refused_messages;  // an earlier one was refused; this one has not been sent yet
    else if (error == ENOBUFS) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    else if (error != EINTR) break;
  }
  ++unsent_;
  unsent_error_ = error;
  return false;
}

void DatagramSender::warn_of_trouble() {
  if (warned_ || !warn_ || counters_.refused_messages + unsent_ == 0) return;
  if (std::chrono::steady_clock::now() < *begun_ + kMoment) return;
  warned_ = true;
  const std::string what = unsent_ ? "a message could not be sent: " + error_text(unsent_error_) : "nobody listens";
  warn_(fmt::format("{}: {}; going on", name_, what));
}

// An ICMP error waits in the socket until it is asked for.
void DatagramSender::look_for_refusal() {
  if (!wait_for(socket_.get(), 0, kLateRefusal)) return;
  if (pending_error(socket_.get())) ++counters_.refused_messages;
}

bool DatagramSender::moved_on() {
  const auto refused = [this] { return counters_.refused_messages + unsent_ > 0; };
  if (at_ + 1 == addresses_.size()) return false;
  if (!refused()) look_for_refusal();
  if (!refused()) return false;
  const std::size_t refusing = at_;
  while (!connect_to(addresses_[++at_])) {
    if (at_ + 1 < addresses_.size()) continue;
    connect_to(addresses_[refusing]);  // nothing better to be had
    return false;
  }
  counters_ = {};
  unsent_ = flow_records_ = too_late_ = 0;
  return true;
}

void DatagramSender::settle() {
  if (counters_.messages > 0) look_for_refusal();
}

std::string DatagramSender::problem() const {
  const ExportCounters& c = counters_;
  if (too_late_) {
    return fmt::format("{}: is not waited for any longer: {} of {} records were lost", name_, too_late_, flow_records_);
  }
  if (unsent_) {
    return fmt::format("{}: {}: {} of {} messages could not be sent", name_, error_text(unsent_error_), unsent_,
                       c.messages + unsent_);
  }
  if (c.refused_messages == 0) return "";
  if (c.refused_messages < c.messages) {
    return fmt::format("{}: nobody listened at times: at least {} of {} messages were refused", name_,
                       c.refused_messages, c.messages);
  }
  return fmt::format("{}: nobody listens: all {} messages were refused", name_, c.messages);
}

}  // namespace warpmeter::inline record
