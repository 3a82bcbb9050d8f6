// Devices that are played, the traces that they are given, and the Metering Process between the two.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/flow_hash.h"
#include "packet/file/trace.h"
#include "pipeline/metering/device_metering.h"
#include "support/keys.h"
#include "support/packets.h"
#include "support/pcap_file.h"
#include "support/record_maker.h"
#include "support/scratch_folder.h"
#include "warpmeter/link_type.h"

namespace warpmeter::test {

constexpr std::uint64_t kHashSeed = 7;
constexpr std::uint16_t kIdlePort = 4000;      // the device says of these flows that they were idle
constexpr std::uint16_t kOverflowPort = 5000;  // flows from here on find no room on the device
constexpr std::int64_t kMs = 1'000'000;

// What was submitted: the packets of the segments, by their numbers.
struct PlayedPiece {
  std::uint64_t batch;  // number of its first packet
  std::vector<std::uint64_t> packets;
};

// What a device is like, and what it saw; outlives it.
struct Played {
  unsigned number = 0, devices = 1;  // which of how many
  std::uint64_t block = 1000;
  std::uint32_t most = 10;                          // segments of a piece
  bool first_waits = false;                         // the first collect() waits for a second piece
  std::function<void(std::size_t)> on_submit = {};  // told how many pieces came before
  std::function<void()> on_drain = {};              // for the first time
  std::uint64_t flows = 17;                 // most that lived at once, said of the first; one more of each that follows
  std::set<std::uint64_t> duplicates = {};  // packets

  std::uint32_t idle_left = 0;  // told when idle flows were told to leave, half of it the next time

  std::vector<PlayedPiece> pieces = {};
  std::vector<std::int64_t> expired = {};  // when idle flows were told to leave
  unsigned most_in_flight = 0;
  std::vector<std::int64_t> trace_ends = {};
  std::vector<std::string> mistakes = {};
};

// Ends every flow with every packet, but those with numbers divisible by 3 only when drained.
class PlayedDevice : public DeviceMeter {
 public:
  explicit PlayedDevice(Played& played) : played_(played) {}

  std::string name() const override { return "played"; }
  std::uint64_t block() const override { return played_.block; }
  std::pmr::memory_resource& batch_memory() override { return *std::pmr::new_delete_resource(); }

  void submit(const SegmentSpan& piece) override {
    if (played_.on_submit) played_.on_submit(played_.pieces.size());
    const std::lock_guard lock(mutex_);
    check_piece(piece);
    in_flight_.push_back({piece, checksum(piece)});
    played_.most_in_flight = std::max(played_.most_in_flight, static_cast<unsigned>(in_flight_.size()));
    check(in_flight_.size() <= kMostInFlight, "too many in flight");
    submitted_.notify_all();
  }

  void expire(std::int64_t watermark_ns) override {
    const std::lock_guard lock(mutex_);
    played_.expired.push_back(watermark_ns);
    in_flight_.push_back({SegmentSpan{}, checksum({})});
    check(in_flight_.size() <= kMostInFlight, "too many in flight");
    submitted_.notify_all();
  }

  void collect(Result& result) override {
    std::unique_lock lock(mutex_);
    if (std::exchange(played_.first_waits, false)) {
      const bool came = submitted_.wait_for(lock, std::chrono::seconds(10), [this] { return in_flight_.size() > 1; });
      check(came, "no second piece came");
    }
    if (in_flight_.empty()) throw std::logic_error("collected what was not submitted");
    const auto [piece, sum] = in_flight_.front();
    check(checksum(piece) == sum, "a piece changed in flight");
    in_flight_.pop_front();
    result = {};
    for (std::uint32_t i = 0; i < piece.count; ++i) meter(piece, i, result);
    if (piece.segment == nullptr) result.idle_left = std::exchange(played_.idle_left, played_.idle_left / 2);
  }

  std::int64_t latest_ns() override { return latest_ns_; }
  bool drain(std::int64_t trace_end_ns, std::vector<Partial>& ended) override {
    if (played_.on_drain) std::exchange(played_.on_drain, {})();
    played_.trace_ends.push_back(trace_end_ns);
    check(ended.empty(), "drained into what was not taken away");
    if (kept_.empty()) return false;
    for (int i = 0; i < 2 && !kept_.empty(); ++i) {
      ended.push_back(kept_.back());
      kept_.pop_back();
    }
    return true;
  }
  std::uint64_t flows() override { return played_.flows + played_.number; }
  std::array<double, kDeviceStages> stage_seconds() const override {
    std::array<double, kDeviceStages> seconds;
    for (int i = 0; i < kDeviceStages; ++i) seconds[i] = (i + 1) * (played_.number + 1);
    return seconds;
  }

 protected:
  void check(bool good, const char* mistake) {
    if (!good) played_.mistakes.emplace_back(mistake);
  }
  virtual void meter(const SegmentSpan& piece, std::uint32_t i, Result& result) {
    const std::uint16_t port = port_number(flow_key(piece.at(i).key).source_port);
    const Segment segment = piece.at(i).segment;
    latest_ns_ = std::max(latest_ns_, segment.time_ns);
    if (port >= kOverflowPort) return overflow(i, played_.duplicates.contains(piece.number(i)), result);
    Partial record;
    record.key = flow_key(piece.at(i).key);
    record.start_ns = record.end_ns = record.first_ns = segment.time_ns;
    record.arrival = piece.number(i);
    record.packets = record.duplicate_packets = 1;
    if (port == kIdlePort) record.removal = Removal::expired;
    (record.arrival % 3 ? result.finished : kept_).push_back(record);
  }
  static void overflow(std::uint32_t i, bool duplicate, Result& result) {
    result.overflow.push_back(i);
    result.duplicate.push_back(duplicate);
  }
  bool nothing_in_flight() const { return in_flight_.empty(); }

  Played& played_;
  std::mutex mutex_;
  std::vector<Partial> kept_;
  std::int64_t latest_ns_ = std::numeric_limits<std::int64_t>::min();

 private:
  struct InFlight {
    SegmentSpan piece;
    std::uint64_t sum;
  };

  static std::uint64_t checksum(const SegmentSpan& piece) {
    std::uint64_t sum = piece.first_number * 31 + piece.count;
    for (std::uint32_t i = 0; i < piece.count; ++i) {
      const auto [key, segment] = piece.at(i);
      sum = sum * 31 + (seeded_hash_of(key, kHashSeed) ^ segment.frame ^ static_cast<std::uint64_t>(segment.time_ns));
    }
    return sum;
  }
  // What a device relies on.
  void check_piece(const SegmentSpan& piece) {
    check(piece.count > 0, "a piece without segments");
    check(piece.count <= played_.most, "a piece is too large");
    PlayedPiece seen{piece.first_number, {}};
    for (std::uint32_t i = 0; i < piece.count; ++i) {
      check(share_of(shard_of(piece.at(i).key), played_.devices) == played_.number, "another device has this shard");
      check(piece.number(i) > latest_packet_, "a piece is not in trace order");
      check(block_of(piece.number(i), played_.block) == block_of(piece.number(0), played_.block),
            "a piece in two blocks");
      latest_packet_ = piece.number(i);
      seen.packets.push_back(latest_packet_);
    }
    played_.pieces.push_back(std::move(seen));
  }

  std::condition_variable submitted_;
  std::deque<InFlight> in_flight_;
  std::uint64_t latest_packet_ = 0;
};

struct Packet {
  std::int64_t time_ms = 0;
  std::uint16_t port = 1;                      // 0: no IP packet
  std::optional<std::uint32_t> sequence = {};  // TCP with one byte, else UDP
  std::uint16_t id = 0;                        // of IP; 0: one of its own
  std::size_t size = 4;                        // of what is no IP packet
};

inline FlowKey key_of_port(std::uint16_t port, std::uint8_t protocol = kProtocolUdp) {
  return key_of({.source_port = port,
                 .destination_port = static_cast<std::uint16_t>(protocol == kProtocolUdp ? 53 : 443),
                 .protocol = protocol});
}

// The device that has the flow from this port, where so many share the shards.
inline unsigned device_of_port(std::uint16_t port, unsigned devices, std::uint8_t protocol = kProtocolUdp) {
  return share_of(hash_flow(key_of_port(port, protocol), kHashSeed).shard, devices);
}

// The first port from `from` on that this device has.
inline std::uint16_t port_of_device(unsigned device, unsigned devices, std::uint16_t from) {
  while (device_of_port(from, devices) != device) ++from;
  return from;
}

// Flows on both sides of kOverflowPort, and now and then a packet that is not metered.
inline std::vector<Packet> mixed_packets(unsigned count, unsigned flows = 5) {
  std::vector<Packet> packets;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned port = i % 11 == 10 ? 0 : kOverflowPort - flows * 3 / 5 + i % flows;
    packets.push_back({i, static_cast<std::uint16_t>(port)});
  }
  return packets;
}

// With played devices, one unless played_ says otherwise.
class PlayedMetering : public testing::Test {
 protected:
  PlayedMetering() : played_(1) {
    options_.meter.method = Method::five_tuple;
    options_.meter.flow_memory = 64 << 20;
    options_.threads = 2;
    options_.batch = 10;
    runs_options_ = {folder_.path(), arrival_order, 1 << 20};
  }

  // So many devices like the first one, which have seen nothing yet.
  void play(unsigned devices) {
    Played like = played_.front();
    like.pieces.clear();
    like.trace_ends.clear();
    played_.assign(devices, like);
    for (unsigned d = 0; d < devices; ++d) {
      played_[d].number = d;
      played_[d].devices = devices;
    }
  }

  // In two files, so that some batches end early.
  void write_trace(const std::vector<Packet>& packets) {
    const PcapDialect raw_ip{.link = kLinkRaw};
    PcapFile files[2] = {PcapFile(raw_ip), PcapFile(raw_ip)};
    for (std::size_t i = 0; i < packets.size(); ++i) {
      const auto& [time_ms, port, sequence, given_id, size] = packets[i];
      const auto id = static_cast<std::uint16_t>(given_id ? given_id : i + 1);
      Bytes bytes(size);
      if (sequence) bytes = ip4({.id = id}, tcp({.source_port = port, .sequence = *sequence}, {1}));
      else if (port) bytes = ip4({.protocol = 17, .id = id}, udp(port, 53));
      files[i * 2 / packets.size()].record(static_cast<std::uint32_t>(time_ms / 1000),
                                           static_cast<std::uint32_t>(time_ms % 1000 * 1000), bytes);
    }
    files_ = {folder_.write("a", files[0].data()), folder_.write("b", files[1].data())};
    trace_ = std::make_unique<Trace>(files_, interrupted_);
  }

  virtual std::unique_ptr<DeviceMeter> device(Played& played) { return std::make_unique<PlayedDevice>(played); }

  void make() {
    DeviceMetering::Devices devices;
    for (Played& played : played_) {
      played.most = options_.batch;
      devices.push_back(device(played));
    }
    runs_ = std::make_unique<RunStore>(runs_options_);
    metering_ = std::make_unique<DeviceMetering>(options_, std::move(devices), kHashSeed, *trace_, *runs_, clock_);
  }
  void run_and_drain() {
    make();
    metering_->run();
    metering_->drain();
    for (const Played& played : played_) EXPECT_EQ(played.mistakes, std::vector<std::string>());
  }
  // Once.
  std::vector<Partial> partials() { return all_of(*runs_->sorted(1)->in({})); }

  const ScratchFolder folder_;
  std::vector<Played> played_;  // a device
  MeteringOptions options_;
  RunStoreOptions runs_options_;
  std::atomic<bool> interrupted_ = false;
  StageClock clock_;
  std::vector<std::string> files_;
  std::unique_ptr<Trace> trace_;
  std::unique_ptr<RunStore> runs_;
  std::unique_ptr<DeviceMetering> metering_;
};

}  // namespace warpmeter::test
