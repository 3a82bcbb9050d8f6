// The options of every command that meters: what a flow is, how retransmissions are found, memory, messages.
#pragma once

#include <string>

#include "app/cli/output_words.h"
#include "pipeline/metering/extract_options.h"

namespace CLI {
class App;
}

namespace warpmeter::inline app {

struct MeteringWords {
  ExtractOptions options;          // as the user wrote them
  bool sample_may_change = false;  // of who cannot wait for packets to be metered
  bool five_tuple_alone = false;   // an option was given that goes with that method
  std::string policy_file;         // empty: none
  bool policy_may_change = false;  // while it runs
  bool no_fuse = false;
  std::uint32_t rounds = 0;    // at most, of a packet; 0: nothing was said
  bool rounds_change = false;  // by what the machine has left
};

void add_flow_options(CLI::App& app, MeteringWords& words);    // what a flow is; the group "Flows" stays open
void add_record_options(CLI::App& app, MeteringWords& words);  // these, and which Flow Records there are
void add_policy_options(CLI::App& app, MeteringWords& words);
void add_annex_option(CLI::App& app, MeteringWords& words);  // joins the group that is open
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

// Of a policy file, or the stock policy. `most_rounds`: of a packet, 0: all. Throws Error; of usage if it is no policy.
// `may_change`: it gets a RunningPolicy.
RoundsOptions rounds_options_of(const std::string& file, bool fuse, std::uint32_t most_rounds, bool may_change = false);

// All that these options and those of the output say. Throws Error (usage).
ExtractOptions metering_options_of(const MeteringWords& words, const OutputWords& output);

}  // namespace warpmeter::inline app
