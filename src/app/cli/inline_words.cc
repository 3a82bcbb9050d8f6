#include "app/cli/inline_words.h"

#include <CLI/CLI.hpp>

#include "app/cli/parse_values.h"
#include "warpmeter/status.h"

namespace warpmeter::inline app {
namespace {

constexpr Bounds kInlineRings{.least = 256 << 10, .most = std::uint64_t{2} << 30, .said = "256K to 2G"};

constexpr const char* kOfInline[] = {"--to",        "--timeout", "--reorder",     "--drop-repeats",
                                     "--ring-size", "--metrics", "--metrics-name"};
constexpr const char* kOfFiles[] = {"INPUT",   "--output",    "--dry-run", "--input-format",
                                    "--order", "--recursive", "--resync",  "--threads"};

void add_inline_metrics(CLI::App& command, InlineWords& words) {
  CLI::Option* const metrics =
      add_text(command, "--metrics",
               "offer metrics for Prometheus at http://ADDRESS:PORT/metrics (default address 127.0.0.1)",
               [&words](const std::string& text) { words.options.metrics = parse_metrics_address(text); })
          ->type_name("[ADDRESS:]PORT");
  command
      .add_option("--metrics-name", words.metrics_names,
                  "another name of this machine by which metrics are asked for; may be given again (default: "
                  "localhost, the machine's own name, and its addresses)")
      ->allow_extra_args(false)
      ->type_name("HOST")
      ->needs(metrics);
}

}  // namespace

void add_inline(CLI::App& command, InlineWords& words) {
  command.option_defaults()->group("Inline");
  command
      .add_option("-i,--interface", words.interface,
                  "in place of captures: forward the packets of this network interface to --to, with those of TCP "
                  "joined, and what comes from there as it is")
      ->type_name("IFACE");
  command
      .add_option("--to", words.to,
                  "where they go: tap:NAME, a TAP device here, or tap:NAME@NETNS, in a network namespace, made if it "
                  "is not there; or if:NAME, an interface that cuts them again (TSO)")
      ->type_name("OUT");
  CoalescerOptions& coalescing = words.options.common.coalescing;
  add_word(command, "--timeout", words.options.by_average, {{"batch", false}, {"average", true}},
           "when what waits leaves: batch, as soon as no packet is there to be taken; average, ten times the average "
           "interval of its packets after the last, 20 ms at most (default batch)");
  command.add_flag_callback(
      "--reorder", [&coalescing] { coalescing.sorts = true; },
      "a packet ahead of its turn waits for those before it, as in captures (default: it begins the next "
      "super-packet)");
  command.add_flag("--drop-repeats", coalescing.drops_repeats,
                   "a packet whose bytes were all forwarded before is dropped, once; when it comes again it passes");
  add_size(command, "--ring-size", words.options.ring_bytes,
           "memory for what comes while nobody reads (256K to 2G, default 32M)", kInlineRings);
  add_inline_metrics(command, words);
}

void refuse_idle_coalesce_options(const CLI::App& command, bool is_inline) {
  if (is_inline) {
    for (const char* const option : kOfFiles) {
      if (command.count(option) > 0) {
        throw Error(std::string(option) + ": it is for captures, and goes without -i", ExitStatus::usage);
      }
    }
    if (command.count("--to") == 0) {
      throw Error("--to is required, as in: warpmeter coalesce -i eth1 --to tap:tap0", ExitStatus::usage);
    }
    return;
  }
  for (const char* const option : kOfInline) {
    if (command.count(option) > 0) throw Error(std::string(option) + " goes with -i", ExitStatus::usage);
  }
}

InlineOptions inline_options_of(const InlineWords& words, const CoalesceOptions& common) {
  InlineOptions options = words.options;
  const CoalescerOptions of_inline = options.common.coalescing;
  options.common = common;
  options.common.coalescing.sorts = of_inline.sorts;
  options.common.coalescing.drops_repeats = of_inline.drops_repeats;
  options.interface = words.interface;
  options.to = parse_inline_output(words.to);
  for (const std::string& name : words.metrics_names) options.metrics->other_names.push_back(parse_metrics_name(name));
  return options;
}

}  // namespace warpmeter::inline app
