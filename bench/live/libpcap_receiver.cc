#include <pcap/pcap.h>

#include <stdexcept>

#include "live/receiver.h"

namespace warpmeter::bench {
namespace {

class LibpcapReceiver : public Receiver {
 public:
  explicit LibpcapReceiver(const std::string& interface) {
    char error[PCAP_ERRBUF_SIZE] = "";
    handle_ = pcap_create(interface.c_str(), error);
    if (!handle_) throw std::runtime_error(error);
    pcap_set_snaplen(handle_, 65535);
    pcap_set_timeout(handle_, 10);
    pcap_set_buffer_size(handle_, 64 << 20);
    if (pcap_activate(handle_) < 0 || pcap_setdirection(handle_, PCAP_D_IN) != 0 ||
        pcap_setnonblock(handle_, 1, error) != 0) {
      throw std::runtime_error(pcap_geterr(handle_));
    }
  }
  ~LibpcapReceiver() override { pcap_close(handle_); }

  std::uint64_t drain() override {
    const auto take = [](u_char* sum, const pcap_pkthdr*, const u_char* data) {
      *reinterpret_cast<std::uint64_t*>(sum) += look_at(data);
    };
    std::uint64_t count = 0;
    int some;
    while ((some = pcap_dispatch(handle_, -1, take, reinterpret_cast<u_char*>(&seen_))) > 0) {
      count += static_cast<std::uint64_t>(some);
    }
    return count;
  }
  std::uint64_t lost() override {
    pcap_stat stat{};
    pcap_stats(handle_, &stat);
    return stat.ps_drop;
  }

 private:
  pcap_t* handle_ = nullptr;
  std::uint64_t seen_ = 0;
};

}  // namespace

std::unique_ptr<Receiver> receive_by_libpcap(const std::string& interface) {
  return std::make_unique<LibpcapReceiver>(interface);
}

}  // namespace warpmeter::bench
