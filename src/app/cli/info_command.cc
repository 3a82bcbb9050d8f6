// `warpmeter info`: what this build and this machine can do, or what captures hold.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <thread>

#include "app/cli/commands.h"
#include "app/cli/input_words.h"
#include "app/cli/parse_values.h"
#include "base/metrics/metrics_server.h"
#include "base/program/interrupt.h"
#include "base/program/messages.h"
#include "base/words/human_units.h"
#include "command/info/capture_info.h"
#include "command/info/cpu_name.h"
#include "packet/decode/packet_filter.h"
#include "packet/file/unpacker.h"
#include "pipeline/metering/backend.h"
#include "pipeline/metering/extract_options.h"
#include "record/parquet/parquet_files.h"
#include "record/read/geo_databases.h"
#include "record/write/output_format.h"

namespace warpmeter::inline app {
namespace {

const char* const kInfoExamples =
    R"(Examples:
  warpmeter info                         what this program can do on this machine
  warpmeter info trace.pcapng            packets, times, interfaces, protocols, damage
  warpmeter info --json captures/ | jq   a folder, one object a file)";

std::string name_of_this_cpu() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  return cpu_name(cpuinfo);
}

ExitStatus info() {
  let_signals_in();
  std::string text;
  const auto line = [&text](const char* what, const std::string& value) {
    text += fmt::format("  {:<10}{}\n", what, value);
  };
  text += fmt::format("warpmeter {}\n", WARPMETER_VERSION);
  line("build", WARPMETER_BUILD_TYPE ", " WARPMETER_COMPILER);
  line("CUDA", built_with_cuda() ? "built in" : "not built in (no CUDA compiler was found or wanted)");
  line("filters", PacketFilter::available() ? "built in (libpcap)" : "not built in (no libpcap)");
  line("metrics", built_with_metrics() ? "built in (libmicrohttpd)" : "not built in (no libmicrohttpd)");
  line("geo", GeoDatabases::available() ? "built in (libmaxminddb)" : "not built in (no libmaxminddb)");
  line("IPFIX", built_with_ipfix() ? "built in (libfixbuf)" : "not built in (no libfixbuf)");
  line("unpacking", unpacking_support());
  line("Parquet", parquet_support());
  line("CPU", fmt::format("{}, {} cores", name_of_this_cpu(), std::thread::hardware_concurrency()));
  line("memory", fmt::format("{} by default (--memory)", human_bytes(static_cast<double>(default_memory()))));
  for (const std::string& gpu : gpu_lines()) line("GPU", gpu);
  const ExtractOptions defaults;
  const BackendChoice choice =
      choose_backend(defaults, std::numeric_limits<std::uint64_t>::max());  // if it is worth it
  line("backend", fmt::format("{}: {}", choice.name, choice.reason));
  put(text);
  return ExitStatus::ok;
}

}  // namespace

void add_info_command(CLI::App& app, Command& chosen) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App* command = app.add_subcommand(
      "info", "what captures hold; without any: version, build options, CPU, GPUs, and which backend is used");
  CLI::Option* files = command->add_option(
      "FILE", options->inputs, "capture files (pcap, pcapng, HP-CAP, ERF), folders of them, or - for standard input");
  add_input_format(*command, options->input_format)->needs(files);
  add_recursive(*command, options->recursive)->needs(files);
  add_resync(*command, options->resync)->needs(files);
  command->add_flag("--json", options->json, "one JSON object a file, on a line of its own")->needs(files);
  add_threads(*command, options->threads)->needs(files);
  command->add_flag("-q,--quiet", options->quiet, "no progress")->needs(files);
  command->footer(kInfoExamples);
  command->callback([options, &chosen] {
    chosen = [options] { return options->inputs.empty() ? info() : capture_info(*options, watch_for_interrupt()); };
  });
}

}  // namespace warpmeter::inline app
