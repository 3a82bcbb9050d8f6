// Runs the whole program in this process on captures in memory, and compares CSV line by line.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "command/extract/extract.h"
#include "reference/random_case.h"
#include "support/extra_columns.h"
#include "support/fewer.h"
#include "support/json_text.h"
#include "support/lower_full_counter.h"
#include "support/scratch_folder.h"

namespace warpmeter::test {

using Captures = std::vector<std::vector<std::uint8_t>>;

// What may not show in the output.
struct Setting {
  unsigned threads = 1;
  std::uint32_t batch = 8192;
  std::uint64_t run_memory = 0;
  std::uint32_t full_counter = UINT32_MAX;
  std::uint64_t memory = std::uint64_t{1} << 30;
  Backend backend = Backend::cpu;
  std::function<std::unique_ptr<DeviceMeter>(const DeviceMeterOptions&)> make_device{};  // for Backend::cuda, automatic
  int devices = 1;
  FileOrder order = FileOrder::given;
  std::optional<PartitionChoice> partition = {};
  std::function<void(ExtractOptions&)> also = {};  // sets what else is wanted
};

inline std::ostream& operator<<(std::ostream& out, const Setting& s) {
  return out << "threads " << s.threads << ", batch " << s.batch << ", run memory " << s.run_memory << ", full counter "
             << s.full_counter << ", memory " << s.memory << ", devices " << s.devices;
}

inline TunnelPorts tunnel_ports_of(const reference::Options& o) {
  TunnelPorts ports;
  for (std::size_t i = 0; i < kUdpTunnels; ++i) ports.set(static_cast<UdpTunnel>(i), o.ports.at(kUdpTunnelNames[i]));
  return ports;
}

inline MeterOptions meter_options_of(const reference::Options& o) {
  MeterOptions options;
  options.timeouts = {o.idle_timeout, o.active_timeout};
  options.duplicates = {static_cast<std::uint64_t>(o.duplicate_window), o.duplicate_gap, o.duplicate_gap_anonymous};
  if (o.method == reference::Method::five_tuple) {
    options.method = Method::five_tuple;
    options.five_tuple = {static_cast<std::uint64_t>(o.block), o.retransmission_gap};
  }
  return options;
}

struct Extracted {
  std::string csv;
  nlohmann::json stats;
  ExitStatus status = ExitStatus::ok;
};

class InProcess {
 public:
  Extracted run(const Captures& captures, const reference::Options& wanted, const Setting& setting) {
    std::vector<std::string> inputs;
    for (std::size_t i = 0; i < captures.size(); ++i) {
      inputs.push_back(folder_.file("part" + std::to_string(i) + ".pcap"));
      write_file(inputs.back(), captures[i]);
    }
    return run_files(inputs, wanted, setting);
  }

  Extracted run_files(const std::vector<std::string>& inputs, const reference::Options& wanted,
                      const Setting& setting) {
    const ExtractOptions options = options_of(inputs, wanted, setting);
    const FullCounter full_counter(setting.full_counter);
    return extracted(options, extract(options, never_));
  }

  ExtractOptions options_of(const std::vector<std::string>& inputs, const reference::Options& wanted,
                            const Setting& setting) const {
    ExtractOptions options;
    options.inputs = inputs;
    options.order = setting.order;
    options.partition = setting.partition;
    options.output.file = folder_.file("out.csv");
    options.stats_file = folder_.file("stats.json");
    if (wanted.first_packet) options.output.extra_columns.push_back(extra_column("first_packet"));
    options.tmpdir = runs_.path();
    options.meter = meter_options_of(wanted);
    options.aggregate = wanted.aggregate;
    options.key_vlan = wanted.key_vlan;
    options.decapsulate = wanted.decapsulate;
    options.tunnel_ports = tunnel_ports_of(wanted);
    options.sample.one_in = static_cast<std::uint32_t>(wanted.sample_one_in);
    options.threads = setting.threads;
    options.batch = setting.batch;
    options.memory = setting.memory;
    options.run_memory = setting.run_memory;
    options.quiet = true;
    options.backend = setting.backend;
    options.make_device = setting.make_device;
    options.gpus.resize(static_cast<std::size_t>(setting.devices));
    if (setting.also) setting.also(options);
    return options;
  }

  // What a run of such options has written.
  static Extracted extracted(const ExtractOptions& options, ExitStatus status) {
    return {file_text(options.output.file), parsed(file_text(options.stats_file)), status};
  }

  const ScratchFolder& folder() const { return folder_; }

 private:
  const ScratchFolder folder_;
  const ScratchFolder runs_{folder_in_memory()};
  const std::atomic<bool> never_ = false;
};

// Damage is written to standard error even when quiet; hundreds of cut captures would bury a failure. Not under a
// sanitizer, whose report would be lost with it.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
struct SilentErrors {
  ~SilentErrors() {}
};
#else
class SilentErrors {
 public:
  SilentErrors() { testing::internal::CaptureStderr(); }
  ~SilentErrors() { testing::internal::GetCapturedStderr(); }
};
#endif

inline testing::AssertionResult same_csv(const std::string& expected, const std::string& got) {
  if (expected == got) return testing::AssertionSuccess();
  std::istringstream expected_lines(expected), got_lines(got);
  std::string header, expected_line, got_line;
  for (int line = 1;; ++line) {
    const bool more_expected = static_cast<bool>(std::getline(expected_lines, expected_line));
    const bool more_got = static_cast<bool>(std::getline(got_lines, got_line));
    if (line == 1) header = expected_line;
    if (more_expected && more_got && expected_line == got_line) continue;
    return testing::AssertionFailure() << "line " << line << " differs\n  columns  " << header << "\n  expected "
                                       << (more_expected ? expected_line : "(end)") << "\n  got      "
                                       << (more_got ? got_line : "(end)");
  }
}

inline std::string arguments_text(const reference::Options& options) {
  std::string text;
  for (const std::string& argument : reference::arguments_of(options)) text += argument + " ";
  return text.empty() ? "(defaults)" : text;
}

// Random cases of a property test.
inline std::uint64_t property_cases(std::uint64_t usual) {
  const char* wanted = std::getenv("WARPMETER_PROPERTY_CASES");
  return wanted ? std::strtoull(wanted, nullptr, 10) : fewer(usual);
}

}  // namespace warpmeter::test
