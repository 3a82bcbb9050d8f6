// random_traffic [options] -o FILE: the captures of the property tests as files, to look at one that failed. With
// --case N, --five-tuple-case N or --wrapped-case N it prints the options that case N is metered with, with
// --stream-case N those it is reassembled with.
#include <cstdio>
#include <fstream>
#include <optional>

#include "arguments.h"
#include "random_case.h"
#include "random_traffic.h"
#include "stream_traffic.h"

namespace {

constexpr const char* usage =
    "random_traffic [options] -o FILE\n"
    "  --case N, --five-tuple-case N, --wrapped-case N (first: shape and seed of property test N)\n"
    "  --stream-case N (no other but -o)\n"
    "  --seed N --packets N --keys N --link LINKTYPE\n"
    "  --microseconds --big-endian --cut-file\n"
    "  --idle-timeout S --active-timeout S --duplicate-window N --duplicate-gap S --duplicate-gap-anonymous S\n"
    "  --block N --retransmission-gap S --resend-percent N\n"
    "  --tcp-percent N --copy-percent N --damage-percent N --gap-percent N --jump-percent N --restart-percent N\n"
    "  --tunnel-percent N --flip-percent N --holes N --time-runs-back --huge-lengths";

struct Command {
  reference::TrafficShape shape;
  std::optional<reference::StreamShape> streams;  // instead
  std::string output;
};

bool take_flag(const std::string& name, reference::TrafficShape& shape) {
  if (name == "--microseconds") shape.nanoseconds = false;
  else if (name == "--big-endian") shape.big_endian = true;
  else if (name == "--cut-file") shape.cut_file = true;
  else if (name == "--time-runs-back") shape.time_runs_back = true;
  else if (name == "--huge-lengths") shape.huge_lengths = true;
  else return false;
  return true;
}

bool take_time(const std::string& name, reference::Arguments& arguments, reference::TrafficShape& shape) {
  if (name == "--idle-timeout") shape.idle_timeout = arguments.next_nanoseconds();
  else if (name == "--active-timeout") shape.active_timeout = arguments.next_nanoseconds();
  else if (name == "--duplicate-gap") shape.duplicate_gap = arguments.next_nanoseconds();
  else if (name == "--duplicate-gap-anonymous") shape.duplicate_gap_anonymous = arguments.next_nanoseconds();
  else if (name == "--retransmission-gap") shape.retransmission_gap = arguments.next_nanoseconds();
  else return false;
  return true;
}

bool take_count(const std::string& name, reference::Arguments& arguments, reference::TrafficShape& shape) {
  const auto count = [&] { return static_cast<uint32_t>(arguments.next_number()); };
  if (name == "--seed") shape.seed = arguments.next_number();
  else if (name == "--packets") shape.packets = count();
  else if (name == "--keys") shape.keys = count();
  else if (name == "--link") shape.link = count();
  else if (name == "--duplicate-window") shape.duplicate_window = count();
  else if (name == "--block") shape.block = count();
  else if (name == "--resend-percent") shape.resend_percent = count();
  else if (name == "--tcp-percent") shape.tcp_percent = count();
  else if (name == "--copy-percent") shape.copy_percent = count();
  else if (name == "--damage-percent") shape.damage_percent = count();
  else if (name == "--gap-percent") shape.gap_percent = count();
  else if (name == "--jump-percent") shape.jump_percent = count();
  else if (name == "--restart-percent") shape.restart_percent = count();
  else if (name == "--tunnel-percent") shape.tunnel_percent = count();
  else if (name == "--flip-percent") shape.flip_percent = count();
  else if (name == "--holes") shape.holes = count();
  else return false;
  return true;
}

reference::TrafficShape take_case(const reference::RandomCase& chosen) {
  for (const std::string& argument : reference::arguments_of(chosen.options)) std::printf("%s ", argument.c_str());
  std::printf("\n");
  return chosen.shape;
}

reference::StreamShape take_stream_case(uint64_t seed) {
  const reference::StreamCase chosen = reference::stream_case(seed);
  const reference::StreamOptions& options = chosen.options;
  std::printf("--block-size %lld --timeout %lld --gap-packets %lld%s\n", static_cast<long long>(options.block_size),
              static_cast<long long>(options.timeout / 1'000'000'000), static_cast<long long>(options.gap_packets),
              options.decapsulate ? " --decapsulate" : "");
  return chosen.shape;
}

Command parse(reference::Arguments arguments) {
  Command command;
  while (!arguments.done()) {
    const std::string name = arguments.next();
    if (name == "-o") command.output = arguments.next();
    else if (name == "--case") command.shape = take_case(reference::random_case(arguments.next_number()));
    else if (name == "--five-tuple-case")
      command.shape = take_case(reference::five_tuple_case(arguments.next_number()));
    else if (name == "--wrapped-case") command.shape = take_case(reference::wrapped_case(arguments.next_number()));
    else if (name == "--stream-case") command.streams = take_stream_case(arguments.next_number());
    else if (!take_flag(name, command.shape) && !take_time(name, arguments, command.shape) &&
             !take_count(name, arguments, command.shape))
      reference::usage_error(usage);
  }
  if (command.output.empty()) reference::usage_error(usage);
  return command;
}

}  // namespace

int main(int count, char** values) {
  const Command command = parse(reference::Arguments(count, values));
  const std::vector<uint8_t> file =
      command.streams ? reference::stream_traffic(*command.streams) : reference::random_traffic(command.shape);
  std::ofstream out(command.output, std::ios::binary);
  out.write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
  out.close();
  if (out) return 0;
  std::fprintf(stderr, "%s cannot be written\n", command.output.c_str());
  return 1;
}
