#include "decode/packet_filter.h"

#include "core/shortened.h"
#include "decode/link_layer.h"
#include "warpmeter/link_type.h"
#include "warpmeter/status.h"

#if WARPMETER_HAVE_PCAP
#include <pcap/pcap.h>

#include <atomic>
#include <iterator>
#include <mutex>
#include <string_view>
#include <vector>

#include "decode/filter_parts.h"
#endif

namespace warpmeter {

#if WARPMETER_HAVE_PCAP
namespace {

constexpr int kSnapLength = 2 << 20;

// Characters. A longer expression is compiled in parts; if it cannot be taken apart, without libpcap's optimizer, whose
// time grows with the third power of their number: for 600 hosts of Ethernet 19 s, and 0.9 s without it.
constexpr std::size_t kLong = 2000, kPart = 1000;

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
constexpr std::size_t kEthernet = 5;
static_assert(kLinks[kEthernet].link == kLinkEthernet);

}  // namespace

struct PacketFilter::Programs {
  using Steps = std::vector<bpf_insn>;

  struct One {
    Steps steps;  // none: the filter is none for this link type
    std::string reason;
    std::atomic<bool> is_compiled = false;

    // Of what begins at `offset` in the frame.
    bool matches(const Frame& frame, std::uint32_t offset) const {
      const std::uint32_t original = frame.original > offset ? frame.original - offset : 0;
      return !steps.empty() && bpf_filter(steps.data(), frame.data + offset, original, frame.captured - offset) != 0;
    }
  };

  explicit Programs(const std::string& expression)
      : parts(expression.size() > kLong ? filter_parts(expression, kPart) : std::vector{expression}) {}

  // Compiled when it is asked for first: for most link types nobody ever does.
  const One& of(std::size_t i) {
    One& one = of_link[i];
    if (one.is_compiled.load(std::memory_order_acquire)) return one;
    const std::lock_guard lock(compiling);
    if (!one.is_compiled.load(std::memory_order_relaxed)) compile(i, one);
    one.is_compiled.store(true, std::memory_order_release);
    return one;
  }
  const One& of_packets() { return of(0); }

  const std::vector<std::string> parts;

 private:
  void compile(std::size_t i, One& one) const;

  std::mutex compiling;
  One of_link[std::size(kLinks)];
};

namespace {

using Handle = std::unique_ptr<pcap_t, void (*)(pcap_t*)>;

// What libpcap says of what no packet matches, of this link type. Of a part that is no fault.
bool matches_nothing(std::string_view reason) { return reason.find("rejects all packets") != reason.npos; }

// Behind those of the parts before it, each of which goes on here with what it does not match.
void append_part(std::vector<bpf_insn>& steps, const bpf_program& part) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].code != (BPF_RET | BPF_K) || steps[i].k != 0) continue;
    steps[i] = {BPF_JMP | BPF_JA, 0, 0, static_cast<bpf_u_int32>(steps.size() - i - 1)};
  }
  steps.insert(steps.end(), part.bf_insns, part.bf_insns + part.bf_len);
}

}  // namespace

void PacketFilter::Programs::compile(std::size_t i, One& one) const {
  const Handle handle(pcap_open_dead(kLinks[i].dlt, kSnapLength), pcap_close);
  if (!handle) throw Error("filter: out of memory");
  for (const std::string& part : parts) {
    bpf_program program{};
    const int optimize = part.size() <= kLong;
    if (pcap_compile(handle.get(), &program, part.c_str(), optimize, PCAP_NETMASK_UNKNOWN) == 0) {
      append_part(one.steps, program);
      pcap_freecode(&program);
      continue;
    }
    one.reason = pcap_geterr(handle.get());
    if (matches_nothing(one.reason)) continue;
    one.steps.clear();
    return;
  }
}

bool PacketFilter::available() { return true; }

// That the expression is a filter for one link type is enough.
PacketFilter::PacketFilter(const std::string& expression, const std::string& remark)
    : programs_(std::make_unique<Programs>(expression)) {
  if (!programs_->of(kEthernet).steps.empty()) return;
  for (std::size_t i = 0; i < std::size(kLinks); ++i) {
    if (!programs_->of(i).steps.empty()) return;
  }
  throw Error("filter '" + shortened(expression) + "': " + programs_->of_packets().reason + remark, ExitStatus::usage);
}

FilterProgram PacketFilter::program(std::uint16_t link) const {
  FilterProgram program;
  for (std::size_t i = 0; i < std::size(kLinks); ++i) {
    if (kLinks[i].link != link) continue;
    for (const bpf_insn& step : programs_->of(i).steps) program.push_back({step.code, step.jt, step.jf, step.k});
  }
  return program;
}

bool PacketFilter::matches(const Frame& frame) const {
  for (std::size_t i = 0; i < std::size(kLinks); ++i) {
    if (kLinks[i].link == frame.link) return programs_->of(i).matches(frame, 0);
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
