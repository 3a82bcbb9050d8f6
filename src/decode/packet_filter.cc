#include "decode/packet_filter.h"

#include "warpmeter/link_type.h"
#include "warpmeter/status.h"

#if WARPMETER_HAVE_PCAP
#include <pcap/pcap.h>

#include <iterator>
#endif

namespace warpmeter {

#if WARPMETER_HAVE_PCAP
namespace {

constexpr int kSnapLength = 2 << 20;

// libpcap compiles for DLT numbers, which differ from LINKTYPE numbers for raw IP.
struct Link {
  std::uint16_t link;
  int dlt;
};
constexpr Link kLinks[] = {{kLinkEthernet, DLT_EN10MB}, {kLinkRaw, DLT_RAW},          {kLinkRawBsd, DLT_RAW},
                           {kLinkRawOpenBsd, DLT_RAW},  {kLinkCooked, DLT_LINUX_SLL}, {kLinkCooked2, DLT_LINUX_SLL2},
                           {kLinkIpv4, DLT_IPV4},       {kLinkIpv6, DLT_IPV6}};

}  // namespace

struct PacketFilter::Programs {
  struct One {
    bpf_program program{};
    bool compiled = false;
  };
  One of_link[std::size(kLinks)];

  ~Programs() {
    for (One& one : of_link) {
      if (one.compiled) pcap_freecode(&one.program);
    }
  }
};

bool PacketFilter::available() { return true; }

PacketFilter::PacketFilter(const std::string& expression) : programs_(std::make_unique<Programs>()) {
  std::string reason;
  bool any = false;
  for (std::size_t i = 0; i < std::size(kLinks); ++i) {
    pcap_t* handle = pcap_open_dead(kLinks[i].dlt, kSnapLength);
    if (!handle) throw Error("filter: out of memory");
    auto& one = programs_->of_link[i];
    one.compiled = pcap_compile(handle, &one.program, expression.c_str(), 1, PCAP_NETMASK_UNKNOWN) == 0;
    if (!one.compiled && reason.empty()) reason = pcap_geterr(handle);
    any |= one.compiled;
    pcap_close(handle);
  }
  if (!any) throw Error("filter '" + expression + "': " + reason, ExitStatus::usage);
}

bool PacketFilter::matches(const Frame& frame) const {
  for (std::size_t i = 0; i < std::size(kLinks); ++i) {
    if (kLinks[i].link != frame.link) continue;
    const auto& one = programs_->of_link[i];
    return one.compiled && bpf_filter(one.program.bf_insns, frame.data, frame.original, frame.captured) != 0;
  }
  return false;
}

#else

struct PacketFilter::Programs {};
bool PacketFilter::available() { return false; }
PacketFilter::PacketFilter(const std::string&) {
  throw Error("filter: this warpmeter was built without libpcap, which compiles filters", ExitStatus::usage);
}
bool PacketFilter::matches(const Frame&) const { return false; }

#endif

PacketFilter::~PacketFilter() = default;

}  // namespace warpmeter
