#include "generator_options.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>

namespace traffic_gen {
namespace {

constexpr const char* kAbout =
    "Writes a pcap of invented traffic with planted truth beside it: how many segments it\n"
    "retransmitted, copied like a mirror port, reordered, lost, ... The same seed and options\n"
    "give the same bytes. The truth holds for a meter with idle timeout 300 s, active timeout\n"
    "1800 s, and copies looked for among the last 1024 packets, 100 ms (1 ms for IPv6 and\n"
    "IPv4 id 0).";

constexpr const char* kExamples =
    "Examples:\n"
    "  traffic_gen --packets 1000000 -o big.pcap --truth big.json\n"
    "  traffic_gen --packets 0 --snaplen 96 -o - | meter -\n"
    "Exit status: 0 written, or the reader of the pipe went away; 1 cannot write; 2 wrong\n"
    "options; 130 interrupted (what was written is whole).";

// Also keeps -1 from being read as a very large number.
const CLI::Range kCount{uint64_t{0}, uint64_t{1} << 62};

// Which CLI::Range takes for a number within any range.
const CLI::Validator kNotNan{[](const std::string& text) {
                               const bool nan = std::isnan(std::strtod(text.c_str(), nullptr));
                               return nan ? "Value " + text + " is no number" : std::string();
                             },
                             ""};

// Ethernet, VLAN tag, IPv6, TCP without options: less would hide what the truth counts.
constexpr uint32_t kShortestSnaplen = 78;

// An option with a default, shown in --help as "--name N [default]".
template <typename T>
CLI::Option* add(CLI::App& app, const char* group, const char* name, T& value, const char* unit, const char* text) {
  CLI::Option* option = app.add_option(name, value, text)->group(group)->capture_default_str();
  if constexpr (std::is_floating_point_v<T>) option->check(kNotNan);
  return option->option_text(std::string(unit) + " [" + option->get_default_str() + "]");
}

void add_amounts(CLI::App& app, Options& o) {
  const char* group = "Amounts";
  add(app, group, "--seed", o.seed, "N", "Where chance starts")->check(kCount);
  add(app, group, "--packets", o.packets, "N", "Frames to write, 0 = endless; live connections simply stop")
      ->check(kCount);
  add(app, group, "--flows", o.flows, "N", "Connections live at once, about")
      ->check(CLI::Range(uint64_t{1}, uint64_t{50'000'000}));
  add(app, group, "--first-connection", o.first_connection, "N", "Captures of disjoint numbers share no five-tuple")
      ->check(CLI::Range(uint64_t{0}, uint64_t{1} << 32));
  add(app, group, "--rate", o.rate, "PPS", "Simulated packets per second, about; sets packet time, not speed")
      ->check(CLI::Range(0.01, 1e8));
  add(app, group, "--start", o.start, "S",
      "Seconds by which packet times are later, for captures that follow each other")
      ->check(CLI::Range(0.0, 1e9));
  add(app, group, "--mean-packets", o.mean_packets, "N", "Mean packets of a connection, about (Pareto)")
      ->check(CLI::Range(1.0, 1e9));
  add(app, group, "--frame-size", o.frame_size, "BYTES", "Typical data frame on the wire, 64 to 9014")
      ->check(CLI::Range(64, 9014));
  add(app, group, "--snaplen", o.snaplen, "BYTES", "Bytes captured of a frame, 78 or more")
      ->check(CLI::Range(kShortestSnaplen, uint32_t{262'144}));
}

struct Fault {
  CLI::Option* option;
  double* share;
};

std::vector<Fault> add_shares(CLI::App& app, Options& o) {
  const auto share = [&](const char* name, double& value, const char* text, const char* group) {
    return add(app, group, name, value, "SHARE", text)->check(CLI::Range(0.0, 1.0));
  };
  const char* kinds = "Shares of connections (0..1)";
  share("--ipv6", o.ipv6, "IPv6, the others are IPv4", kinds);
  share("--vlan", o.vlan, "With a VLAN tag", kinds);
  share("--udp", o.udp, "UDP, request and response", kinds);
  share("--icmp", o.icmp, "ICMP echo", kinds);
  share("--reset", o.reset, "TCP ended by a reset", kinds);
  share("--port-reuse", o.port_reuse, "TCP followed by another with the same five-tuple", kinds);
  share("--mid-stream", o.mid_stream, "TCP met without its handshake", kinds);
  const char* planted = "Shares of data segments (0..1), --duplicate of all frames";
  const auto fault = [&](const char* name, double& value, const char* text) {
    return Fault{share(name, value, text, planted), &value};
  };
  app.add_flag("--clean", o.clean, "None of these; those given beside it count")->group(planted);
  return {
      fault("--loss", o.loss, "Lost before the capture point, half of them resent"),
      fault("--retransmit", o.retransmit, "Sent again: same, split, joined, overlapping, lone byte"),
      fault("--reorder", o.reorder, "Late"),
      fault("--duplicate", o.duplicate, "Copied by the mirror port"),
      fault("--keep-alive", o.keep_alive, "Followed by keep-alives"),
      fault("--zero-window", o.zero_window, "Answered with window 0"),
  };
}

void add_retransmissions(CLI::App& app, Options& o) {
  const char* group = "Retransmissions";
  add(app, group, "--structural", o.structural, "SHARE", "Of them: partly from where no segment began before")
      ->check(CLI::Range(0.0, 1.0));
  add(app, group, "--retransmit-wait", o.retransmit_wait, "S", "Mean wait before half of them (Pareto, at most 14 s)")
      ->check(CLI::Range(0.0, 14.0));
}

void add_files(CLI::App& app, Options& o) {
  const char* group = "Files";
  app.add_option("-o,--output", o.output, "The capture, - = standard output")
      ->required()
      ->group(group)
      ->option_text("FILE|- REQUIRED");
  app.add_option("--truth", o.truth, "Totals of what was planted, as JSON")->group(group)->option_text("FILE.json");
  app.add_option("--truth-flows", o.truth_flows, "One row per connection and direction")
      ->group(group)
      ->option_text("FILE.csv");
  app.add_flag("--microseconds", o.microseconds, "Packet times in us instead of ns")->group(group);
}

// What no single option shows. -> empty if all is well
std::string contradiction(const Options& o) {
  if (o.loss + o.retransmit + o.reorder + o.keep_alive + o.zero_window > 1)
    return "--loss, --retransmit, --reorder, --keep-alive and --zero-window are more than 1 together";
  if (o.udp + o.icmp > 1) return "--udp and --icmp are more than 1 together";
  if (static_cast<double>(o.flows) > 5 * o.rate)
    return "--flows is more than 5 times --rate: packets of a connection would be too far apart to be one flow";
  if (o.truth == "-" || o.truth_flows == "-") return "only -o can be standard output";
  return {};
}

}  // namespace

std::optional<Options> parse(int argc, char** argv, int& status) {
  Options options;
  CLI::App app{kAbout, "traffic_gen"};
  app.footer(kExamples);
  app.get_formatter()->column_width(34);
  add_amounts(app, options);
  const std::vector<Fault> faults = add_shares(app, options);
  add_retransmissions(app, options);
  add_files(app, options);
  try {
    app.parse(argc, argv);
    if (options.clean)
      for (const Fault& fault : faults)
        if (fault.option->count() == 0) *fault.share = 0;
    if (const std::string wrong = contradiction(options); !wrong.empty()) throw CLI::ValidationError(wrong);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    status = 0;
    return std::nullopt;
  } catch (const CLI::Error& error) {
    std::fprintf(stderr, "traffic_gen: %s\n", error.what());
    status = 2;
    return std::nullopt;
  }
  return options;
}

}  // namespace traffic_gen
