// What it costs to put streams together and give them to somebody who drops them at once.
//
//     stream_bench [--threads N] [--channels N] [--block-size BYTES] [--timeout SECONDS] [--spans] CAPTURE...
//
// Prints one line of JSON: packets, payload bytes, blocks, connections, and the CPU time of the process so far, in us.
#include <sys/resource.h>

#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command/reassemble/stream_reassembly.h"
#include "core/flow_hash.h"
#include "packet/file/trace.h"

namespace {

using namespace warpmeter;

struct Command {
  ReassemblyOptions options;
  unsigned channels = StreamReassembly::kChannels;
  std::vector<std::string> captures;
};

// Of one channel, on cache lines of its own.
struct alignas(64) Dropper final : StreamConsumer {
  void take(TcpConnection&, const StreamBlock& block) override {
    ++blocks;
    for (const SubBlock& sub : block.sub_blocks) bytes += sub.length;
  }
  std::uint64_t bytes = 0, blocks = 0;
};

std::optional<std::uint32_t> number_of(std::string_view text, std::uint32_t most) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > most) return std::nullopt;
  return value;
}

bool set(Command& command, std::string_view name, std::uint32_t value) {
  if (name == "--threads" && value > 0) command.options.threads = value;
  else if (name == "--channels" && value > 0 && value <= kShards) command.channels = value;
  else if (name == "--block-size" && value > 0) command.options.streams.block_size = value;
  else if (name == "--timeout") command.options.streams.timeout_ns = std::int64_t{value} * 1'000'000'000;
  else return false;
  return true;
}

std::optional<Command> parse(int argc, char** argv) {
  Command command;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--spans") {
      command.options.streams.spans = true;
    } else if (word.starts_with("--")) {
      const auto value = i + 1 < argc ? number_of(argv[i + 1], 1 << 30) : std::nullopt;
      if (!value || !set(command, word, *value)) return std::nullopt;
      ++i;
    } else {
      command.captures.emplace_back(word);
    }
  }
  if (command.captures.empty()) return std::nullopt;
  return command;
}

std::uint64_t cpu_us() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto us = [](const timeval& t) { return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000 + t.tv_usec; };
  return us(used.ru_utime) + us(used.ru_stime);
}

int measure(const Command& command) {
  const std::atomic<bool> never = false;
  Trace trace(command.captures, never);
  if (!trace.unreadable().empty()) {
    std::fprintf(stderr, "stream_bench: %s\n", trace.unreadable().front().message.c_str());
    return 1;
  }
  std::vector<Dropper> droppers(command.channels);
  std::vector<StreamConsumer*> channels;
  for (Dropper& dropper : droppers) channels.push_back(&dropper);
  StreamReassembly reassembly(command.options, trace, channels);
  reassembly.run();
  std::uint64_t bytes = 0, blocks = 0;
  for (const Dropper& dropper : droppers) {
    bytes += dropper.bytes;
    blocks += dropper.blocks;
  }
  const auto print = [](const char* name, std::uint64_t value, const char* end) {
    std::printf("\"%s\": %llu%s", name, static_cast<unsigned long long>(value), end);
  };
  std::printf("{");
  print("packets", reassembly.decode_counters().frames, ", ");
  print("payload_bytes", bytes, ", ");
  print("blocks", blocks, ", ");
  print("connections", reassembly.counters().connections, ", ");
  print("cpu_us", cpu_us(), "}\n");
  return trace.damage().empty() ? 0 : 3;
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<Command> command = parse(argc, argv);
  if (!command) {
    std::fprintf(stderr,
                 "usage: stream_bench [--threads N] [--channels N] [--block-size BYTES] [--timeout SECONDS] [--spans] "
                 "CAPTURE...\n");
    return 2;
  }
  try {
    return measure(*command);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "stream_bench: %s\n", error.what());
    return 1;
  }
}
