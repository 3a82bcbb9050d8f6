#include "app/cli/metering_words.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <functional>

#include "app/cli/input_words.h"
#include "app/cli/parse_values.h"
#include "base/program/interrupt.h"
#include "base/words/human_units.h"
#include "base/words/printable.h"
#include "command/decode/decode_captures.h"
#include "core/noted_columns.h"
#include "policy/rounds/policy_notes.h"
#include "policy/rounds/running_policy.h"

namespace warpmeter::inline app {
namespace {

constexpr std::uint64_t kLargestWindow = 1 << 24;
constexpr Bounds kBlocks{.least = 1, .most = kLargestBlock, .said = "1 to 1G packets"};

// Not 0, which is what nobody said.
std::function<void(std::uint64_t)> at_least_1(std::uint64_t& target) {
  return [&target](std::uint64_t value) { target = std::max<std::uint64_t>(value, 1); };
}

void set_sample(const std::string& text, const MeteringWords& w, ExtractOptions& o) {
  constexpr const char* kOption = "--sample-flows";
  if (const std::optional<std::uint32_t> rarest = parse_changing_sample(kOption, text)) {
    if (!w.sample_may_change) {
      throw Error("--sample-flows auto is for live, which cannot wait; files are metered whole", ExitStatus::usage);
    }
    o.rarest_sample = *rarest;
  } else {
    o.sample.one_in = parse_sample(kOption, text);
  }
}

void set_rounds(const std::string& text, MeteringWords& w) {
  constexpr const char* kOption = "--rounds";
  constexpr std::uint64_t kMost = 65535;
  w.rounds_change = text == "auto";
  if (!w.rounds_change && w.policy_may_change && text.find_first_of("0123456789") == std::string::npos) {
    throw Error("--rounds " + shortened(text) + ": neither a number of groups nor auto", ExitStatus::usage);
  }
  w.rounds = w.rounds_change ? 0 : static_cast<std::uint32_t>(parse_count_within(kOption, text, 1, kMost));
  if (w.rounds_change && !w.policy_may_change) {
    throw Error(
        "--rounds auto is for live, which cannot wait; what files give must not depend on how busy a machine is",
        ExitStatus::usage);
  }
}

// Who must not know which flows are in the sample, nor see it on a command line, gives a secret by the environment.
void set_sample_seed(ExtractOptions& o) {
  const char* const secret = std::getenv("WARPMETER_SAMPLE_SEED");
  if ((!o.sample.takes_all() || o.rarest_sample) && secret && *secret) o.sample.seed = hash_seed_of(secret);
}

// Behind the columns of other options.
void add_columns(const CompiledPolicy& policy, OutputOptions& output) {
  output.extra_columns.push_back(std::make_shared<AnnotationColumn>("labels", kLabelsColumn, true));
  std::uint32_t number = kFirstFieldColumn;
  for (const std::string& column : policy.columns()) {
    output.extra_columns.push_back(std::make_shared<AnnotationColumn>(column, number++, false));
  }
}

// "all", or names of values with commas between.
std::uint32_t parse_annex(const std::string& text) {
  if (text == "all") return bit_of(AnnexField::count) - 1;
  std::uint32_t fields = 0;
  for (const std::string& name : split_at_commas(text)) {
    const std::optional<AnnexField> field = annex_field(name);
    if (!field) {
      std::string known;
      for (const AnnexFacts& facts : kAnnexFacts) (known += known.empty() ? "" : ", ") += facts.name;
      throw Error("--annex: '" + shortened(name) + "' is none of all, " + known, ExitStatus::usage);
    }
    fields |= bit_of(*field);
  }
  return fields;
}

// Behind the columns of other options.
void add_annex(ExtractOptions& o) {
  if (!o.annex) return;
  if (o.backend == Backend::cuda) {
    throw Error("--annex: a GPU has no frames, so --backend is cpu or auto", ExitStatus::usage);
  }
  const ExtraColumns columns = annex_columns(o.annex, o.biflow ? o.annex : 0);
  const auto add = [&columns](OutputOptions& output) {
    output.extra_columns.insert(output.extra_columns.end(), columns.begin(), columns.end());
  };
  add(o.output);
  std::ranges::for_each(o.output.also, add);
}

void set_policy(const MeteringWords& w, ExtractOptions& o) {
  if (w.policy_file.empty()) {
    if (w.no_fuse || w.rounds || w.rounds_change)
      throw Error("--no-fuse and --rounds go with --policy", ExitStatus::usage);
    return;
  }
  if (o.backend == Backend::cuda) throw Error("--policy: packets have no payload on a GPU", ExitStatus::usage);
  o.policy = rounds_options_of(w.policy_file, !w.no_fuse, w.rounds, w.policy_may_change);
  if (w.rounds_change) o.policy.bound = std::make_shared<RoundsBound>();
  o.never_overwrite.push_back(w.policy_file);
  add_columns(*o.policy.policy, o.output);
  for (OutputOptions& also : o.output.also) add_columns(*o.policy.policy, also);
}

}  // namespace

// Where rounds are few, packets leave behind exactly so many groups: also within a chain, whose groups share no scan
// then.
RoundsOptions rounds_options_of(const std::string& file, bool fuse, std::uint32_t most_rounds, bool may_change) {
  RoundsOptions options;
  const EndedBySignals meanwhile;  // patterns may take long
  try {
    PolicyMemory memory = PolicyMemory::load_file(file);
    const bool fused = fuse && most_rounds == 0;
    if (may_change) options.running = std::make_shared<RunningPolicy>(std::move(memory), fused);
    options.policy =
        may_change ? options.running->current() : std::make_shared<CompiledPolicy>(std::move(memory), fused);
  } catch (const PolicyError& error) {
    throw Error(file + ": " + error.what(), ExitStatus::usage);
  } catch (const PatternError& error) {
    throw Error(file + ": " + error.what(), ExitStatus::usage);
  }
  if (most_rounds != 0) options.most_rounds = most_rounds;
  return options;
}

std::string tmpdir_of(const std::string& chosen) {
  if (!chosen.empty()) return chosen;
  const char* from_environment = std::getenv("TMPDIR");
  return from_environment && *from_environment ? from_environment : "/tmp";
}

void add_flow_options(CLI::App& app, MeteringWords& w) {
  app.option_defaults()->group("Flows");
  app.add_flag("--biflow", w.options.biflow,
               "both directions of a conversation as one record, the initiator's first (RFC 5103)");
  app.add_flag("--key-vlan", w.options.key_vlan,
               "add the outermost VLAN id to the Flow Key (and as a column behind the others)");
}

void add_record_options(CLI::App& app, MeteringWords& w) {
  add_flow_options(app, w);
  app.add_flag("--aggregate", w.options.aggregate, "one Flow Record per Flow Key over the whole trace");
  add_text(
      app, "--sample-flows",
      w.sample_may_change
          ? "meter one conversation of N, both directions of it with all their packets, chosen by a hash; N is 1 to "
            "1048576; auto: all of them, but fewer while metering does not keep up, 1/1024 at the least; auto:1/N: "
            "1/N"
          : "meter one conversation of N, both directions of it with all their packets, chosen by a hash; N is 1 to "
            "1048576",
      [&w](const std::string& text) { set_sample(text, w, w.options); })
      ->type_name(w.sample_may_change ? "1/N|auto" : "1/N");
  add_tunnels(app, w.options.decapsulate, w.options.tunnel_ports);
}

void add_policy_options(CLI::App& app, MeteringWords& w) {
  app.option_defaults()->group("Policy");
  app.add_option(
         "--policy", w.policy_file,
         "rules that label flows by what they carry, take fields such as host names, and drop packets: a file of "
         "`warpmeter policy`, or stock, which knows some 60 protocols and names hosts; columns `labels` and those "
         "of its fields are added")
      ->type_name("FILE");
  add_text(app, "--rounds",
           w.policy_may_change
               ? "a packet goes through at most so many groups of rules, and leaves with what it has then (default: "
                 "all); auto: fewer while metering does not keep up"
               : "a packet goes through at most so many groups of rules, and leaves with what it has then (default: "
                 "all)",
           [&w](const std::string& text) { set_rounds(text, w); })
      ->type_name(w.policy_may_change ? "N|auto" : "N");
  app.add_flag("--no-fuse", w.no_fuse, "scan once for each group, also where one scan has the answers of several");
}

void add_annex_option(CLI::App& app, MeteringWords& w) {
  add_text(app, "--annex",
           "columns of what a flow's first packet tells (MAC addresses, VLAN ids, MPLS label, tunnel, TTL, DSCP, ECN, "
           "TCP flags) and its SYN (MSS, window scale, ...): their names, or all",
           [&w](const std::string& text) { w.options.annex = parse_annex(text); })
      ->type_name("NAME[,NAME...]|all");
}

void add_timeouts(CLI::App& app, MeteringWords& w) {
  Timeouts& timeouts = w.options.meter.timeouts;
  add_time(app, "--idle-timeout", timeouts.idle_ns, "a longer silence ends a flow; 0 = never (default 300s)");
  add_time(app, "--active-timeout", timeouts.active_ns, "a flow that lasts longer is cut; 0 = never (default 1800s)");
}

void add_method_options(CLI::App& app, MeteringWords& w) {
  app.option_defaults()->group("Method");
  MeterOptions& meter = w.options.meter;
  const auto note = [&w](const std::string& /*value*/) { w.five_tuple_alone = true; };
  add_word(
      app, "--method", meter.method, {{"exact", Method::exact}, {"five-tuple", Method::five_tuple}},
      "how retransmissions are found: by the bytes seen before, or by the source paper's rule, kept for comparison: "
      "addresses, ports and sequence number seen before (default exact)");
  add_amount(
      app, "--block", AmountOf::count,
      "five-tuple: packets in a memory block (such as 56M); retransmissions are found within one and the next "
      "(default: what memory holds)",
      [&meter](std::uint64_t packets) { meter.five_tuple.block = packets; }, kBlocks)
      ->each(note);
  add_time(app, "--retransmission-gap", meter.five_tuple.gap_ns,
           "five-tuple: a retransmission comes at most this long after the original; 0 = whenever (default)")
      ->each(note);
  add_count(app, "--duplicate-window", 0, kLargestWindow,
            "a mirror port's copy comes within this many packets (default 1024)",
            [&meter](std::uint64_t n) { meter.duplicates.window = n; });
  add_time(app, "--duplicate-gap", meter.duplicates.gap_ns, "... and within this time (default 100ms)");
  add_time(app, "--duplicate-gap-anonymous", meter.duplicates.gap_anonymous_ns,
           "... or this, for packets without an id of their own: IPv6 and IPv4 id 0 (default 1ms)");
}

void add_backend_options(CLI::App& app, MeteringWords& w, const std::string& automatic) {
  ExtractOptions& o = w.options;
  add_word(app, "--backend", o.backend, {{"auto", Backend::automatic}, {"cpu", Backend::cpu}, {"cuda", Backend::cuda}},
           "what meters (default auto: " + automatic + ")");
  add_text(app, "--gpu",
           "number of the GPU, as `warpmeter info` lists them; several with commas share the flows; or all "
           "(where none is named: 0)",
           [&o](const std::string& text) {
             o.gpus = parse_gpus(text);
             o.gpu_named = true;
           })
      ->type_name("N[,N...]");
  add_amount(app, "--gpu-memory", AmountOf::bytes, "memory of each GPU to use (default: most of what is free)",
             at_least_1(o.gpu_memory))
      ->each([&o](const std::string& /*value*/) { o.gpu_named = true; });
}

void add_batch_option(CLI::App& app, MeteringWords& w) {
  app.option_defaults()->group("Resources");
  add_count(app, "--batch", 1, kLargestBatch,
            "packets a batch (default " + std::to_string(kDefaultBatch) + ", on a GPU " +
                std::to_string(kDefaultDeviceBatch) + ")",
            [&w](std::uint64_t n) { w.options.batch = static_cast<std::uint32_t>(n); });
}

void add_memory_options(CLI::App& app, MeteringWords& w) {
  add_threads(app, w.options.threads);
  add_size(app, "--memory", w.options.memory, "for live flows and finished ones together (default: half of the memory)",
           kMemoryBounds);
  add_amount(app, "--run-memory", AmountOf::bytes,
             "finished flows kept in memory before a sorted run is written to --tmpdir (default: a quarter of "
             "--memory, at most 16M)",
             at_least_1(w.options.run_memory));
  app.add_option("--tmpdir", w.options.tmpdir,
                 "folder for run files, and for holes that find no room in memory (default: $TMPDIR, else /tmp)")
      ->type_name("FOLDER");
}

void add_report_options(CLI::App& app, MeteringWords& w) {
  add_messages(app, w.options.quiet, w.options.stats_file);
  app.add_flag("-v,--verbose", w.options.verbose, "say more about what is done");
  app.add_flag("--stages", w.options.stages, "add the time per pipeline stage to the summary");
}

ExtractOptions metering_options_of(const MeteringWords& w, const OutputWords& output) {
  ExtractOptions o = w.options;
  o.output = output_options_of(output, o.threads);
  refuse_columns(o.output, o.biflow, true);
  refuse_output(output, "--stats", o.stats_file);
  if (!output.anonymize.empty()) o.never_overwrite.push_back(output.anonymize);
  o.is_tmpdir_chosen = !o.tmpdir.empty();
  o.tmpdir = tmpdir_of(o.tmpdir);
  if (o.memory == 0) o.memory = default_memory();
  if (o.run_memory > o.memory) {
    throw Error(fmt::format("--run-memory: more than --memory, of which it is a part ({})",
                            human_bytes(static_cast<double>(o.memory))),
                ExitStatus::usage);
  }
  if (o.meter.method != Method::five_tuple && w.five_tuple_alone) {
    throw Error("--block and --retransmission-gap go with --method five-tuple", ExitStatus::usage);
  }
  set_sample_seed(o);
  set_policy(w, o);
  add_annex(o);
  return o;
}

}  // namespace warpmeter::inline app
