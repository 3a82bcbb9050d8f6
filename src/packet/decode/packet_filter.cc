#include "packet/decode/packet_filter.h"

#include "base/words/printable.h"
#include "core/byte_order.h"
#include "core/thread_annotations.h"
#include "warpmeter/link_type.h"
#include "warpmeter/status.h"

#if WARPMETER_HAVE_PCAP
#include <pcap/pcap.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <deque>
#include <iterator>
#include <mutex>
#include <string_view>

#endif

namespace warpmeter::inline packet {

#if WARPMETER_HAVE_PCAP
namespace {

// Characters. A longer expression is compiled in parts; if it cannot be taken apart, without libpcap's optimizer, whose
// time grows with the third power of their number: for 600 hosts of Ethernet 19 s, and 0.9 s without it.
constexpr std::size_t kLong = 2000, kPart = 1000;

// As `tcpdump -r` has it: `ip broadcast` is an address of ones, or of zeros, alone.
constexpr bpf_u_int32 kNetmask = 0;

constexpr std::size_t kLinks = 512;  // numbers of link types: all that are decoded are below

enum Order : std::uint8_t { little, big };  // of what a frame has in the byte order of the capturing machine

// BSD loopback and OpenBSD's enc begin with an address family.
bool has_family(std::uint16_t link) { return link == kLinkNull || link == kLinkLoop || link == kLinkEnc; }

// A family is a small number, which tells its own order.
Order order_of(const Frame& frame) {
  if (!has_family(frame.link)) return little;
  constexpr std::uint32_t kMostFamily = 0xffff;
  return frame.captured >= 4 && load_be32(frame.data) <= kMostFamily ? big : little;
}

// What libpcap calls the same frames. LOOP has its families in network order, and is read in both.
std::uint16_t link_of_libpcap(std::uint16_t link, Order order) {
  if (link == kLinkRawBsd || link == kLinkRawOpenBsd) return kLinkRaw;
  return link == kLinkLoop && order == little ? std::uint16_t{kLinkNull} : link;
}

}  // namespace

struct PacketFilter::Programs {
  using Steps = std::vector<bpf_insn>;

  struct One {
    Steps steps;         // none: the filter is none for this link type
    std::string reason;  // why
    mutable std::atomic<bool> is_missed = false;

    bool matches(const Frame& frame) const {
      if (!steps.empty()) return bpf_filter(steps.data(), frame.data, frame.original, frame.captured) != 0;
      if (!is_missed.load(std::memory_order_relaxed)) is_missed.store(true, std::memory_order_relaxed);
      return false;
    }
  };

  explicit Programs(const std::string& text)
      : expression(text), parts(text.size() > kLong ? filter_parts(text, kPart) : std::vector{text}) {}

  // Compiled when it is asked for first: for most link types nobody ever does. REQUIRES: link < kLinks.
  const One& of(std::uint16_t link, Order order) {
    std::atomic<const One*>& place = compiled[order][link];
    if (const One* const one = place.load(std::memory_order_acquire)) return *one;
    const std::lock_guard lock(compiling);
    if (const One* const one = place.load(std::memory_order_relaxed)) return *one;
    One& one = kept.emplace_back();
    compile(link_of_libpcap(link, order), order, one);
    place.store(&one, std::memory_order_release);
    return one;
  }
  std::vector<std::uint16_t> links_missed() {
    std::vector<std::uint16_t> links;
    for (std::uint16_t link = 0; link < kLinks; ++link) {
      const bool is_missed = std::ranges::any_of(compiled, [link](const auto& of_order) {
        const One* const one = of_order[link].load(std::memory_order_acquire);
        return one && one->is_missed.load(std::memory_order_relaxed);
      });
      if (is_missed) links.push_back(link);
    }
    return links;
  }

  // In the order that libpcap's messages are about.
  const One& of(std::uint16_t link) { return of(link, link == kLinkLoop ? big : little); }

  const std::string expression;
  const std::vector<std::string> parts;

 private:
  void compile(std::uint16_t link, Order order, One& one) const;

  std::mutex compiling;
  std::deque<One> kept WARPMETER_GUARDED_BY(compiling);  // who has found one in `compiled` reads it without
  std::array<std::array<std::atomic<const One*>, kLinks>, 2> compiled = {};
};

namespace {

using Handle = std::unique_ptr<pcap_t, void (*)(pcap_t*)>;

// As of a file with such frames, so that libpcap compiles what it does for `tcpdump -r`: pcap_open_dead() knows nothing
// of byte orders, takes address families for those of this machine, and filters for those of the kernel. Null: libpcap
// does not know the link type.
Handle open_as_file(std::uint16_t link, Order order) {
  constexpr std::uint32_t kMagic = 0xa1b2c3d4, kSnapLength = 262144;
  constexpr std::uint32_t kVersion[] = {0x00040002, 0x00020004};  // 2.4, by order
  const std::uint32_t fields[] = {kMagic, kVersion[order], 0, 0, kSnapLength, link};
  std::uint8_t header[sizeof fields];
  for (std::size_t i = 0; i < std::size(fields); ++i) {
    store_be32(header + 4 * i, order == big ? fields[i] : byte_swap(fields[i]));
  }
  char reason[PCAP_ERRBUF_SIZE];
  std::FILE* const file = fmemopen(header, sizeof header, "r");
  if (!file) throw Error("filter: out of memory");
  Handle handle(pcap_fopen_offline(file, reason), pcap_close);
  if (!handle) std::fclose(file);
  return handle;
}

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

void PacketFilter::Programs::compile(std::uint16_t link, Order order, One& one) const {
  const Handle handle = open_as_file(link, order);
  if (!handle) {
    one.reason = "libpcap does not know link type " + std::to_string(link);
    return;
  }
  for (const std::string& part : parts) {
    bpf_program program{};
    const int optimize = part.size() <= kLong;
    if (pcap_compile(handle.get(), &program, part.c_str(), optimize, kNetmask) == 0) {
      append_part(one.steps, program);
      pcap_freecode(&program);
      continue;
    }
    const std::string reason = pcap_geterr(handle.get());
    if (matches_nothing(reason)) continue;
    one.reason = reason;
    one.steps.clear();
    return;
  }
  if (one.steps.empty()) one.steps.push_back({BPF_RET | BPF_K, 0, 0, 0});
}

bool PacketFilter::available() { return true; }

// That the expression is a filter for one link type is enough.
PacketFilter::PacketFilter(const std::string& expression, const std::string& remark)
    : programs_(std::make_unique<Programs>(expression)) {
  if (!programs_->of(kLinkEthernet).steps.empty()) return;
  for (std::uint16_t link = 0; link < kLinks; ++link) {
    if (is_known_link(link) && !programs_->of(link).steps.empty()) return;
  }
  throw Error(name() + ": " + programs_->of(kLinkEthernet).reason + remark, ExitStatus::usage);
}

std::string PacketFilter::name() const { return "filter '" + shortened(programs_->expression) + "'"; }

FilterProgram PacketFilter::program(std::uint16_t link) const {
  FilterProgram program;
  if (link >= kLinks || has_family(link)) return program;
  for (const bpf_insn& step : programs_->of(link).steps) program.push_back({step.code, step.jt, step.jf, step.k});
  return program;
}

bool PacketFilter::matches(const Frame& frame) const {
  return frame.link < kLinks && programs_->of(frame.link, order_of(frame)).matches(frame);
}

std::string PacketFilter::refusal(std::uint16_t link) const {
  if (link >= kLinks) return {};
  const std::string& reason = programs_->of(link).reason;
  return reason.empty() ? reason : name() + ": " + reason;
}

std::vector<std::uint16_t> PacketFilter::links_missed() const { return programs_->links_missed(); }

#else

struct PacketFilter::Programs {};
bool PacketFilter::available() { return false; }
PacketFilter::PacketFilter(const std::string&, const std::string&) {
  throw Error("filter: this warpmeter was built without libpcap, which compiles filters", ExitStatus::usage);
}
bool PacketFilter::matches(const Frame&) const { return false; }
std::string PacketFilter::name() const { return {}; }
std::string PacketFilter::refusal(std::uint16_t) const { return {}; }
std::vector<std::uint16_t> PacketFilter::links_missed() const { return {}; }
FilterProgram PacketFilter::program(std::uint16_t) const { return {}; }

#endif

PacketFilter::~PacketFilter() = default;

std::function<std::string(std::uint16_t link)> refusals_of(const PacketFilter* filter) {
  if (!filter) return {};
  return [filter](std::uint16_t link) { return filter->refusal(link); };
}

}  // namespace warpmeter::inline packet
