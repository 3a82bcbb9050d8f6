// `warpmeter info`: what this build and this machine can do.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <string>
#include <thread>

#include "cli/commands.h"
#include "decode/packet_filter.h"
#include "pipeline/backend.h"
#include "pipeline/extract_options.h"
#include "pipeline/human_units.h"
#include "pipeline/ipfix_output.h"

namespace warpmeter {
namespace {

std::string cpu_name() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

ExitStatus info() {
  fmt::print("warpmeter {}\n", WARPMETER_VERSION);
  fmt::print("  build     {}, {}\n", WARPMETER_BUILD_TYPE, __VERSION__);
  fmt::print("  CUDA      {}\n",
             built_with_cuda() ? "built in" : "not built in (no CUDA compiler was found or wanted)");
  fmt::print("  filters   {}\n", PacketFilter::available() ? "built in (libpcap)" : "not built in (no libpcap)");
  fmt::print("  IPFIX     {}\n", built_with_ipfix() ? "built in (libfixbuf)" : "not built in (no libfixbuf)");
  fmt::print("  CPU       {}, {} cores\n", cpu_name(), std::thread::hardware_concurrency());
  fmt::print("  memory    {} by default (--memory)\n", human_bytes(static_cast<double>(default_memory())));
  for (const std::string& line : gpu_lines()) fmt::print("  GPU       {}\n", line);
  const ExtractOptions defaults;
  const BackendChoice choice = choose_backend(defaults);
  fmt::print("  backend   {}: {}\n", choice.name, choice.reason);
  return ExitStatus::ok;
}

}  // namespace

void add_info_command(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand("info", "version, build options, CPU, GPUs, and which backend is used");
  command->callback([&chosen] { chosen = info; });
}

}  // namespace warpmeter
