// What a packet costs on its way from an interface to a reader: rings are filled and then drained, on one thread, so
// that what else the machine does changes little. Two interfaces that are one wire, `sender` and `capture`, are
// expected (bench/live/run makes them).
//
//     receive_bench PATH BYTES [FRAMES [ROUNDS [LOOK]]]
//
// PATH: nothing | host | packet | packet-walk | packet-2-hash | packet-2-cpu | pcap | xdp | xdp-cut | xdp-2 |
// xdp-direct. Prints one line of JSON: CPU nanoseconds a packet, medians of all rounds, of the kernel (filling, with
// making the frames) and of the reader, who looks at the first 64 bytes of each frame; LOOK 0: at none.
#include <linux/if_packet.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "live/frame_feed.h"
#include "live/receiver.h"
#include "packet/nic/ring/interface_point.h"
#include "packet/nic/ring/packet_ring.h"
#include "packet/nic/xdp/xdp_point.h"

namespace warpmeter::bench {
namespace {

constexpr std::size_t kRing = 64 << 20;
constexpr std::size_t kBatch = 32;  // frames that are looked at while they are in the first cache

class OfRing : public Receiver {
 public:
  explicit OfRing(Ring& ring) : ring_(ring) {}
  std::uint64_t lost() override {
    ring_.update_counts();
    return ring_.counts().lost();
  }

 protected:
  Ring& ring_;
  volatile std::uint64_t seen_ = 0;
};

class RingReceiver : public OfRing {
 public:
  RingReceiver(Ring& ring, bool looks) : OfRing(ring), looks_(looks) {}
  std::uint64_t drain() override {
    std::uint64_t count = 0;
    while (auto block = ring_.next()) {
      while (block->frames) {
        frames_.clear();
        ring_.frames_of(*block, kBatch, frames_);
        if (looks_) look();
        count += frames_.frames.size();
      }
    }
    frames_.clear();
    return count;
  }

 private:
  void look() {
    std::uint64_t sum = 0;
    for (const Frame& frame : frames_.frames) sum += look_at(frame.data);
    seen_ = sum;
  }

  const bool looks_;
  FrameBlock frames_;
};

// The least that anybody can do: the same ring, of whose frames nothing is made.
class WalkingReceiver : public OfRing {
 public:
  using OfRing::OfRing;
  std::uint64_t drain() override {
    std::uint64_t count = 0, sum = 0;
    while (const auto block = ring_.next()) {
      auto* at = static_cast<const std::uint8_t*>(block->at);
      for (std::uint32_t i = 0; i < block->frames; ++i) {
        const auto& header = *reinterpret_cast<const tpacket3_hdr*>(at);
        sum += look_at(at + header.tp_mac);
        at += header.tp_next_offset;
      }
      count += block->frames;
    }
    seen_ = sum;
    return count;
  }
};

// CPU time of this thread, and of the kernel's that take over soft interrupts when they are many.
class Clock {
 public:
  Clock() {
    for (pid_t pid = 2; pid < 1000; ++pid) {
      std::string name;
      std::ifstream file("/proc/" + std::to_string(pid) + "/comm");
      clockid_t clock;
      if (!std::getline(file, name) || !name.starts_with("ksoftirqd/")) continue;
      if (clock_getcpuclockid(pid, &clock) == 0) others_.push_back(clock);
    }
  }
  double ns() const {
    double sum = of(CLOCK_THREAD_CPUTIME_ID);
    for (const clockid_t other : others_) sum += of(other);
    return sum;
  }

 private:
  static double of(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
  }
  std::vector<clockid_t> others_;
};

struct Path {
  std::vector<FrameFeed> feeds;
  std::unique_ptr<ObservationPoint> point;
  std::unique_ptr<Ring> ring;
  std::vector<std::unique_ptr<Receiver>> receivers;
  bool in_blocks = false;  // the last of which is given after a time
};

Path path_of(const std::string& name, std::uint32_t bytes, bool looks) {
  Path path;
  const NetworkInterface capture = find_interface("capture"), sender = find_interface("sender");
  using To = FrameFeed::To;
  if (name == "nothing") {
    path.feeds.emplace_back(To::nobody, 0, bytes);
  } else if (name == "host" || name == "packet" || name == "packet-walk" || name == "pcap") {
    if (name.starts_with("packet")) {
      path.ring = std::make_unique<PacketRing>(capture, 0, PacketRingOptions{.bytes = kRing}, std::nullopt);
    }
    if (name == "packet") {
      path.receivers.push_back(std::make_unique<RingReceiver>(*path.ring, looks));
    } else if (name == "packet-walk") {
      path.receivers.push_back(std::make_unique<WalkingReceiver>(*path.ring));
    } else if (name == "pcap") {
      path.receivers.push_back(receive_by_libpcap("capture"));
    }
    path.in_blocks = true;
    path.feeds.emplace_back(To::host, capture.index, bytes);
  } else if (name == "packet-2-hash" || name == "packet-2-cpu") {
    const Fanout fanout = name == "packet-2-cpu" ? Fanout::cpu : Fanout::hash;
    path.point = open_packet_point("capture", 2, {.bytes = kRing / 2, .fanout = fanout});
    for (unsigned i = 0; i < 2; ++i) {
      path.receivers.push_back(std::make_unique<RingReceiver>(path.point->ring(i), looks));
      path.feeds.emplace_back(To::host, capture.index, bytes);
    }
    path.in_blocks = true;
  } else if (name == "xdp" || name == "xdp-cut" || name == "xdp-2" || name == "xdp-direct") {
    const unsigned rings = name == "xdp-2" ? 2 : 1;
    path.point =
        open_xdp_point("capture", {.rings = rings, .bytes = kRing / rings, .keep = name == "xdp-cut" ? 128U : 0U});
    for (unsigned i = 0; i < rings; ++i) {
      path.receivers.push_back(std::make_unique<RingReceiver>(path.point->ring(i), looks));
      if (name == "xdp-direct") path.feeds.emplace_back(To::socket, capture.index, bytes, i, path.point->ring(i).fd());
      else path.feeds.emplace_back(To::veth, sender.index, bytes);
    }
  } else {
    throw std::runtime_error("no path " + name);
  }
  return path;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

void stay_on(std::size_t core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
  sched_setaffinity(0, sizeof cores, &cores);
}

void measure(const std::string& name, std::uint32_t bytes, std::uint32_t frames, int rounds, bool looks) {
  stay_on(0);
  Path path = path_of(name, bytes, looks);
  const Clock clock;
  std::vector<double> kernel, reader;
  std::uint64_t sent = 0, got = 0;
  for (int round = 0; round < rounds + 2; ++round) {
    const double begin = clock.ns();
    const auto each = static_cast<std::uint32_t>(frames / path.feeds.size());
    for (std::size_t i = 0; i < path.feeds.size(); ++i) {
      stay_on(i);  // whose number is that of the RX queue, for veth
      path.feeds[i].send(each);
    }
    const std::uint64_t of_round = each * path.feeds.size();
    const double filled = clock.ns();
    std::this_thread::sleep_for(std::chrono::milliseconds(path.in_blocks ? 30 : 1));
    const double settled = clock.ns();
    std::uint64_t of_reader = 0;
    for (std::size_t i = 0; i < path.receivers.size(); ++i) {
      stay_on(i);  // the core of a ring is that of its queue
      of_reader += path.receivers[i]->drain();
    }
    const double drained = clock.ns();
    sent += of_round;
    got += of_reader;
    if (round < 2) continue;  // memory that nobody had touched before
    kernel.push_back((filled - begin) / static_cast<double>(of_round));
    if (of_reader) reader.push_back((drained - settled) / static_cast<double>(of_reader));
  }
  std::uint64_t lost = 0;
  for (auto& receiver : path.receivers) lost += receiver->lost();
  std::printf(
      "{\"path\": \"%s\", \"bytes\": %u, \"kernel\": %.1f, \"reader\": %.1f, \"sent\": %llu, \"got\": %llu, "
      "\"lost\": %llu}\n",
      name.c_str(), bytes, median(kernel), median(reader), static_cast<unsigned long long>(sent),
      static_cast<unsigned long long>(got), static_cast<unsigned long long>(lost));
}

}  // namespace
}  // namespace warpmeter::bench

int main(int count, char** words) {
  if (count < 3) {
    std::fprintf(stderr, "usage: receive_bench PATH BYTES [FRAMES [ROUNDS [LOOK]]]\n");
    return 2;
  }
  const auto number = [&](int at, unsigned long other) {
    return count > at ? std::strtoul(words[at], nullptr, 10) : other;
  };
  try {
    warpmeter::bench::measure(words[1], static_cast<std::uint32_t>(number(2, 96)),
                              static_cast<std::uint32_t>(number(3, 16384)), static_cast<int>(number(4, 15)),
                              number(5, 1) != 0);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "receive_bench: %s\n", error.what());
    return 1;
  }
}
