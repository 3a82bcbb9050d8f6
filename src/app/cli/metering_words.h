// The options of every command that meters: what a flow is, how retransmissions are found, memory, messages.
#pragma once

#include <string>

#include "app/cli/output_words.h"
#include "pipeline/metering/extract_options.h"

namespace CLI {
class App;
}

namespace warpmeter::inline app {

// As the user wrote them, but for those that need no thought: these are in `options`.
struct MeteringWords {
  std::string memory, run_memory, idle, active, gap, gap_anonymous, block, retransmission_gap, sample;
  std::string method = "exact";
  std::string tmpdir;
  std::string backend = "auto", gpus, gpu_memory;
  ExtractOptions options;
  bool sample_may_change = false;  // of who cannot wait for packets to be metered
};

void add_record_options(CLI::App& app, MeteringWords& words);
void add_timeouts(CLI::App& app, MeteringWords& words);
void add_method_options(CLI::App& app, MeteringWords& words);
// What meters; `automatic` says what auto means. They join the group that is open.
void add_backend_options(CLI::App& app, MeteringWords& words, const std::string& automatic);
void add_batch_option(CLI::App& app, MeteringWords& words);
// Threads, memory and where run files lie. They join the group that is open.
void add_memory_options(CLI::App& app, MeteringWords& words);
void add_report_options(CLI::App& app, MeteringWords& words);

// The folder for run files: the one that was chosen, else $TMPDIR, else /tmp.
std::string tmpdir_of(const std::string& chosen);

// All that these options and those of the output say. Throws Error (usage).
ExtractOptions metering_options_of(const MeteringWords& words, const OutputWords& output);

}  // namespace warpmeter::inline app
