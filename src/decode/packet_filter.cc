#include "decode/packet_filter.h"

#include "decode/link_layer.h"
#include "warpmeter/link_type.h"
#include "warpmeter/status.h"

#if WARPMETER_HAVE_PCAP
#include <pcap/pcap.h>

#include <iterator>
#include <span>
#endif

namespace warpmeter {

#if WARPMETER_HAVE_PCAP
namespace {

constexpr int kSnapLength = 2 << 20;

// The link types whose own headers a filter can ask about; of all others the IP packet alone counts. libpcap compiles
// for DLT numbers, which differ from LINKTYPE numbers for raw IP. That comes first: it stands in for those others.
struct Link {
  std::uint16_t link;
  int dlt;
};
constexpr Link kLinks[] = {{kLinkRaw, DLT_RAW},
                           {kLinkRawBsd, DLT_RAW},
                           {kLinkRawOpenBsd, DLT_RAW},
                           {kLinkIpv4, DLT_IPV4},
                           {kLinkIpv6, DLT_IPV6},
                           {kLinkEthernet, DLT_EN10MB},
                           {kLinkCooked, DLT_LINUX_SLL},
                           {kLinkCooked2, DLT_LINUX_SLL2},
                           {kLinkWlan, DLT_IEEE802_11},
                           {kLinkRadiotap, DLT_IEEE802_11_RADIO},
                           {kLinkAvs, DLT_IEEE802_11_RADIO_AVS},
                           {kLinkPrism, DLT_PRISM_HEADER}};

}  // namespace

struct PacketFilter::Programs {
  struct One {
    bpf_program program{};
    bool compiled = false;

    // Of what begins at `offset` in the frame.
    bool matches(const Frame& frame, std::uint32_t offset) const {
      const std::uint32_t original = frame.original > offset ? frame.original - offset : 0;
      return compiled && bpf_filter(program.bf_insns, frame.data + offset, original, frame.captured - offset) != 0;
    }
  };
  One of_link[std::size(kLinks)];
  const One& of_packets() const { return of_link[0]; }

  ~Programs() {
    for (One& one : of_link) {
      if (one.compiled) pcap_freecode(&one.program);
    }
  }
};

bool PacketFilter::available() { return true; }

PacketFilter::PacketFilter(const std::string& expression, const std::string& remark)
    : programs_(std::make_unique<Programs>()) {
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
  if (!any) throw Error("filter '" + expression + "': " + reason + remark, ExitStatus::usage);
}

FilterProgram PacketFilter::program(std::uint16_t link) const {
  FilterProgram program;
  for (std::size_t i = 0; i < std::size(kLinks); ++i) {
    const auto& one = programs_->of_link[i];
    if (kLinks[i].link != link || !one.compiled) continue;
    for (const bpf_insn& step : std::span(one.program.bf_insns, one.program.bf_len)) {
      program.push_back({step.code, step.jt, step.jf, step.k});
    }
  }
  return program;
}

bool PacketFilter::matches(const Frame& frame) const {
  for (std::size_t i = 0; i < std::size(kLinks); ++i) {
    if (kLinks[i].link == frame.link) return programs_->of_link[i].matches(frame, 0);
  }
  const IpPlace place = find_ip(frame);
  return place.version && place.offset < frame.captured && programs_->of_packets().matches(frame, place.offset);
}

#else

struct PacketFilter::Programs {};
bool PacketFilter::available() { return false; }
PacketFilter::PacketFilter(const std::string&, const std::string&) {
  throw Error("filter: this warpmeter was built without libpcap, which compiles filters", ExitStatus::usage);
}
bool PacketFilter::matches(const Frame&) const { return false; }
FilterProgram PacketFilter::program(std::uint16_t) const { return {}; }

#endif

PacketFilter::~PacketFilter() = default;

}  // namespace warpmeter
