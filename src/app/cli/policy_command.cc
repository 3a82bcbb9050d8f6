// `warpmeter policy`: looks at policy files, and tries them.
#include <CLI/CLI.hpp>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/input_words.h"
#include "app/cli/metering_words.h"
#include "app/cli/parse_values.h"
#include "base/program/interrupt.h"
#include "command/policy/policy.h"

namespace warpmeter::inline app {
namespace {

const char* const kPolicyExamples =
    R"(Examples:
  warpmeter policy check policy.toml                      one line if it is good, else what is wrong, and where
  warpmeter policy explain stock                          groups and paths of the stock policy, what its patterns take
  warpmeter policy explain policy.toml --svg graph.svg    and its graph as a drawing
  warpmeter policy test policy.toml trace.pcap            a line a packet: its path, its fate, its labels
  warpmeter policy test policy.toml trace.pcap --expect lines.txt    what comes out otherwise than it should)";

struct PolicyWords {
  std::string action;
  PolicyOptions options;
  std::vector<std::string> inputs_and_filter;
  TestPolicyOptions test;
  std::uint32_t rounds = 0;  // 0: all
};

TestPolicyOptions test_options_of(const PolicyWords& words) {
  TestPolicyOptions options = words.test;
  set_inputs(words.inputs_and_filter, options);
  options.rounds = rounds_options_of(words.options.file, true, words.rounds);
  options.never_overwrite.push_back(words.options.file);
  if (!options.expect.empty()) options.never_overwrite.push_back(options.expect);
  return options;
}

ExitStatus run_policy(const PolicyWords& words) {
  if (words.action == "test") {
    const TestPolicyOptions options = test_options_of(words);  // first: while it is compiled, a signal ends all
    return test_policy(options, watch_for_interrupt());
  }
  let_signals_in();
  return words.action == "check" ? check_policy(words.options) : explain_policy(words.options);
}

void refuse_what_does_not_go_together(const PolicyWords& words) {
  if (words.action != "check" && words.action != "explain" && words.action != "test") {
    throw Error("policy " + words.action + ": there are policy check, policy explain and policy test",
                ExitStatus::usage);
  }
  const bool tests = words.action == "test";
  if (!words.options.svg.empty() && words.action != "explain") {
    throw Error("--svg goes with policy explain", ExitStatus::usage);
  }
  if (tests == words.inputs_and_filter.empty()) {
    throw Error(tests ? "policy test: which captures?" : "captures go with policy test", ExitStatus::usage);
  }
}

// All others are for captures.
void refuse_what_is_for_test(const CLI::App& command) {
  for (const CLI::Option* const option : command.get_options()) {
    const std::string name = option->get_name();
    const bool is_for_all = option->get_positional() || name == "--svg" || name == "--quiet" || name == "--help";
    if (option->count() > 0 && !is_for_all) throw Error(name + " goes with policy test", ExitStatus::usage);
  }
}

}  // namespace

void add_policy_command(CLI::App& app, Command& chosen) {
  auto words = std::make_shared<PolicyWords>();
  CLI::App* command = app.add_subcommand("policy", "whether a policy file is good, and what its groups of rules do");
  command->add_option("ACTION", words->action, "check, explain or test")->required();
  command->add_option("FILE", words->options.file, "the policy file (TOML), or stock")->required();
  command->add_option("CAPTURE", words->inputs_and_filter,
                      "test: captures or folders of them, - for standard input, and a filter");
  command->add_option("--svg", words->options.svg, "explain: draws the graph into this file; - is standard output")
      ->type_name("FILE")
      ->each([](const std::string& name) { refuse_folder("--svg", name); });
  command->add_option("--expect", words->test.expect, "test: the lines that should come; tells those that differ")
      ->type_name("FILE");
  add_count(*command, "--rounds", 1, 65535, "test: a packet goes through at most so many groups (default: all)",
            [words = words.get()](std::uint64_t n) { words->rounds = static_cast<std::uint32_t>(n); });
  add_reading(*command, words->test);
  add_tunnels(*command, words->test.decapsulate, words->test.tunnel_ports);
  command->option_defaults()->group("Resources");
  add_threads(*command, words->test.threads);
  add_messages(*command, words->test.quiet, words->test.stats_file);
  command->footer(kPolicyExamples);
  command->callback([words, command, &chosen] {
    refuse_what_does_not_go_together(*words);
    if (words->action != "test") refuse_what_is_for_test(*command);
    chosen = [words] { return run_policy(*words); };
  });
}

}  // namespace warpmeter::inline app
