// live_frames --to INTERFACE [--queue N] [--times N] [--rate N] FILE
//
// Sends the frames of a capture, in order, out of a veth interface whose other end runs an XDP program, and prints how
// many the other end has taken, by the interface's own count, and has seen if it is in the same namespace. No other
// sender costs so little: the kernel itself runs a program of ours that makes frame after frame
// (BPF_F_TEST_XDP_LIVE_FRAMES).
//
//   --queue N   the other end gets them in its RX queue N: the one with the number of the core that sends
//   --times N   the whole file so often
//   --rate N    frames a second, a millisecond's at once; else as fast as it goes
//
// Frames of up to 3,300 bytes. Needs root, or CAP_NET_ADMIN, CAP_BPF and CAP_PERFMON.
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "packet/file/capture_reader.h"
#include "packet/nic/bpf/bpf_code.h"
#include "packet/nic/bpf/bpf_maps.h"
#include "packet/nic/bpf/bpf_object.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

constexpr std::uint32_t kMostBytes = 3300;    // a page, less what the kernel has in it
constexpr std::uint32_t kLeastBytes = 14;     // of a frame
constexpr std::uint32_t kMostAtOnce = 16384;  // frames in memory
constexpr std::chrono::seconds kPatience{20};
constexpr std::uint32_t kBlank = 64;  // bytes of the frame that each begins as

struct Options {
  std::string to, file;
  int queue = -1;
  unsigned times = 1;
  std::uint64_t rate = 0;
};

// Of both programs, the one here and the one in the kernel.
struct Progress {
  std::uint64_t next = 0, count = 0, failed = 0;
};

struct Slot {
  std::uint64_t length;  // the frame follows
};

BpfCode sender_code(int progress, int frames, int to) {
  using R = BpfRegister;
  const auto context = R::kept1, state = R::kept2, length = R::kept3, slot = R::kept4;
  BpfCode code;
  const auto drop = code.label(), bad = code.label(), more = code.label(), fits = code.label();
  code.move(context, R::argument1);
  code.store32(R::stack, -4, 0);
  code.move(R::argument2, R::stack);
  code.add(R::argument2, -4);
  code.load_map(R::argument1, progress);
  code.call(BpfHelper::map_lookup_element);
  code.jump_if(R::result, BpfIs::equal, 0, drop);
  code.move(state, R::result);

  code.load64(R::argument1, state, offsetof(Progress, next));
  code.store32(R::stack, -4, R::argument1);
  code.add(R::argument1, 1);
  code.load64(R::argument2, state, offsetof(Progress, count));
  code.jump_if(R::argument2, BpfIs::above, R::argument1, more);
  code.set(R::argument1, 0);
  code.place(more);
  code.store64(state, offsetof(Progress, next), R::argument1);
  code.move(R::argument2, R::stack);
  code.add(R::argument2, -4);
  code.load_map(R::argument1, frames);
  code.call(BpfHelper::map_lookup_element);
  code.jump_if(R::result, BpfIs::equal, 0, bad);
  code.move(slot, R::result);

  code.load32(length, slot, offsetof(Slot, length));
  code.jump_if(length, BpfIs::below, kLeastBytes, bad);
  code.jump_if(length, BpfIs::above, kMostBytes, bad);
  code.move(R::argument2, length);
  code.add(R::argument2, -static_cast<std::int32_t>(kBlank));
  code.jump_if(R::argument2, BpfIs::equal, 0, fits);
  code.move(R::argument1, context);
  code.call(BpfHelper::xdp_adjust_tail);
  code.jump_if(R::result, BpfIs::not_equal, 0, bad);
  code.place(fits);
  code.move(R::argument1, context);
  code.set(R::argument2, 0);
  code.move(R::argument3, slot);
  code.add(R::argument3, sizeof(Slot));
  code.move(R::argument4, length);
  code.call(BpfHelper::xdp_store_bytes);
  code.jump_if(R::result, BpfIs::not_equal, 0, bad);
  code.load_map(R::argument1, to);
  code.set(R::argument2, 0);
  code.set(R::argument3, 0);
  code.call(BpfHelper::redirect_map);
  code.exit();

  code.place(bad);
  code.set(R::argument1, 1);
  code.atomic_add64(state, offsetof(Progress, failed), R::argument1);
  code.place(drop);
  code.set(R::result, XDP_DROP);
  code.exit();
  return code;
}

class Sender {
 public:
  Sender(int interface, std::uint64_t rate)
      : rate_(rate),
        progress_map_("progress", sizeof(Progress), 1, BpfArray::Access::write),
        frames_map_("frames", kSlot, kMostAtOnce, BpfArray::Access::write),
        to_map_(make_map("to", {.type = BPF_MAP_TYPE_DEVMAP, .value_bytes = 4})),
        program_(load_xdp_program("live_frames", sender_code(progress_map_.fd(), frames_map_.fd(), to_map_.get()), {})),
        progress_(*static_cast<Progress*>(progress_map_.memory())),
        slots_(static_cast<std::uint8_t*>(frames_map_.memory())) {
    put_into_map(to_map_.get(), 0, &interface);
  }

  bool is_full() const { return count_ == kMostAtOnce; }

  void add(const Frame& frame) {
    if (frame.captured < kLeastBytes || frame.captured > kMostBytes) {
      throw Error("a frame of " + std::to_string(frame.captured) + " bytes cannot be sent");
    }
    std::uint8_t* const at = slots_ + std::size_t{kSlot} * count_++;
    const Slot slot{frame.captured};
    std::memcpy(at, &slot, sizeof slot);
    std::memcpy(at + sizeof slot, frame.data, frame.captured);
  }

  // What was added since, so often.
  void send(unsigned times) {
    if (count_ == 0) return;
    progress_ = {.count = count_};
    const std::uint8_t blank[kBlank] = {};
    std::uint64_t left = std::uint64_t{count_} * times;
    while (left > 0) {
      const std::uint64_t now = std::min({left, rate_ ? wait_for_next() : left, kMostOfACall});
      run_with_live_frames(program_.get(), {blank, kBlank}, static_cast<std::uint32_t>(now));
      left -= now;
      sent_ += now;
    }
    if (progress_.failed) throw Error(std::to_string(progress_.failed) + " frames could not be made");
    count_ = 0;
  }

 private:
  // How many are due; at least one is.
  std::uint64_t wait_for_next() {
    for (;;) {
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
      const auto due = static_cast<std::uint64_t>(passed.count() * static_cast<double>(rate_));
      if (due > sent_) return due - sent_;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  static constexpr std::uint64_t kMostOfACall = 1 << 30;
  static constexpr std::uint32_t kSlot = (sizeof(Slot) + kMostBytes + 7) / 8 * 8;

  const std::uint64_t rate_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::uint64_t sent_ = 0;
  const BpfArray progress_map_, frames_map_;
  const Descriptor to_map_, program_;
  Progress& progress_;
  std::uint8_t* const slots_;
  std::uint32_t count_ = 0;
};

// What `ethtool -S` shows of it under names that end so, in all.
std::uint64_t statistic(const std::string& interface, std::string_view name) {
  const Descriptor fd(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  interface.copy(request.ifr_name, sizeof request.ifr_name - 1);
  const auto ask = [&](void* what) {
    request.ifr_data = static_cast<char*>(what);
    if (ioctl(fd.get(), SIOCETHTOOL, &request) != 0) throw Error(interface + ": no statistics");
  };
  std::vector<std::uint32_t> size((sizeof(ethtool_sset_info) + sizeof(std::uint32_t)) / 4 + 1);
  auto& sets = *reinterpret_cast<ethtool_sset_info*>(size.data());
  sets.cmd = ETHTOOL_GSSET_INFO;
  sets.sset_mask = 1 << ETH_SS_STATS;
  ask(&sets);
  const std::uint32_t count = sets.data[0];
  std::vector<std::uint64_t> names((sizeof(ethtool_gstrings) + count * ETH_GSTRING_LEN) / 8 + 1);
  auto& strings = *reinterpret_cast<ethtool_gstrings*>(names.data());
  strings.cmd = ETHTOOL_GSTRINGS;
  strings.string_set = ETH_SS_STATS;
  strings.len = count;
  ask(&strings);
  std::vector<std::uint64_t> values(sizeof(ethtool_stats) / 8 + count);
  auto& stats = *reinterpret_cast<ethtool_stats*>(values.data());
  stats.cmd = ETHTOOL_GSTATS;
  stats.n_stats = count;
  ask(&stats);
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::string_view one(reinterpret_cast<const char*>(strings.data + i * ETH_GSTRING_LEN));
    if (one.ends_with(name)) sum += stats.data[i];
  }
  return sum;
}

// The other end, if it is in this namespace; else "".
std::string peer_of(const std::string& interface) {
  char name[IF_NAMESIZE];
  const auto index = static_cast<unsigned>(statistic(interface, "peer_ifindex"));
  if (!if_indextoname(index, name)) return "";
  try {
    return statistic(name, "peer_ifindex") == if_nametoindex(interface.c_str()) ? name : "";
  } catch (const Error&) {
    return "";
  }
}

void wait_until_seen(const std::string& peer, std::uint64_t count) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (statistic(peer, "_xdp_packets") < count) {
    if (std::chrono::steady_clock::now() > until) throw Error(peer + " does not look at what was sent");
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

void stay_on_core(int core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
  if (sched_setaffinity(0, sizeof cores, &cores) != 0) {
    throw Error("--queue " + std::to_string(core) + ": there is no core of this number");
  }
}

// By the count of the interface.
std::uint64_t send_all(const Options& options) {
  const unsigned interface = if_nametoindex(options.to.c_str());
  if (interface == 0) throw Error("there is no interface " + options.to);
  stay_on_core(std::max(options.queue, 0));
  Sender sender(static_cast<int>(interface), options.rate);
  const std::atomic<bool> stop = false;
  const std::string peer = peer_of(options.to);
  const std::uint64_t before = statistic(options.to, "_xdp_xmit");
  const std::uint64_t seen = peer.empty() ? 0 : statistic(peer, "_xdp_packets");
  for (unsigned time = 0; time < options.times; ++time) {
    const auto capture = open_capture(options.file, stop);
    bool more = true, sent = false;
    for (FrameBlock block; more; block.clear()) {
      more = capture->read(block, 1024);
      for (const Frame& frame : block.frames) {
        if (sender.is_full()) {
          sender.send(1);
          sent = true;
        }
        sender.add(frame);
      }
    }
    if (sent) {
      sender.send(1);
      continue;
    }
    sender.send(options.times);  // all of it is in memory
    break;
  }
  const std::uint64_t sent = statistic(options.to, "_xdp_xmit") - before;
  if (!peer.empty()) wait_until_seen(peer, seen + sent);
  return sent;
}

Options options_of(int count, char** words) {
  Options o;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const auto value = [&] {
      if (++i == count) throw Error(word + " what?", ExitStatus::usage);
      return std::string(words[i]);
    };
    if (word == "--to") o.to = value();
    else if (word == "--queue") o.queue = std::stoi(value());
    else if (word == "--times") o.times = static_cast<unsigned>(std::stoul(value()));
    else if (word == "--rate") o.rate = std::stoull(value());
    else if (o.file.empty() && !word.starts_with("-")) o.file = word;
    else throw Error(word + ": not an option", ExitStatus::usage);
  }
  if (o.to.empty() || o.file.empty()) {
    throw Error("live_frames --to INTERFACE [--queue N] [--times N] [--rate N] FILE", ExitStatus::usage);
  }
  return o;
}

}  // namespace
}  // namespace warpmeter

int main(int count, char** words) {
  try {
    std::printf("%llu\n", static_cast<unsigned long long>(warpmeter::send_all(warpmeter::options_of(count, words))));
    return 0;
  } catch (const warpmeter::Error& error) {
    std::fprintf(stderr, "live_frames: %s\n", error.what());
    return static_cast<int>(error.status());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "live_frames: %s\n", error.what());
    return 1;
  }
}
