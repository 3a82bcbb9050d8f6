// `warpmeter merge`: the options, and what follows from them where the user left them out.
#include <CLI/CLI.hpp>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/input_words.h"
#include "app/cli/metering_words.h"
#include "app/cli/output_words.h"
#include "app/cli/parse_values.h"
#include "base/files/temp_file.h"
#include "base/program/interrupt.h"
#include "command/merge/merge.h"

namespace warpmeter::inline app {
namespace {

// As the user wrote them.
struct MergeWords {
  MergeOptions options;
  OutputWords output;
};

const char* const kMergeExamples =
    R"(Examples:
  warpmeter merge -o whole.csv part-1.csv part-2.parquet
  warpmeter merge -o monday.parquet monday/     the files of a folder
  warpmeter merge -o day.ipfix day.csv          those of extract --rotate, by the name that it was given

Each file must be in the order of extract: by Flow Key, then by time. Parts of a trace that share no flows become what
extract would have written of the whole.)";

void add_merge_options(CLI::App& command, MergeWords& w) {
  command.option_defaults()->group("Input");
  add_recursive(command, w.options.recursive);
  add_file_options(command, w.output);
  add_export_options(command, w.output);
  command.option_defaults()->group("Resources");
  add_count(command, "--most-files", 2, 1 << 20,
            "files that are open at once; more are merged in passes (default: an eighth of ulimit -n, at most 64)",
            [&w](std::uint64_t n) { w.options.limits.most_open = n; });
  command
      .add_option("--tmpdir", w.options.limits.tmpdir,
                  "folder for what waits between passes (default: $TMPDIR, else /tmp)")
      ->type_name("FOLDER");
  command.option_defaults()->group("Messages");
  command.add_flag("-q,--quiet", w.options.quiet, "no line on standard error about what was merged");
}

MergeOptions merge_options_of(const MergeWords& w) {
  MergeOptions o = w.options;
  o.output = output_options_of(w.output);
  o.key_file = w.output.anonymize;
  if (!o.limits.tmpdir.empty()) const TempFile try_one(o.limits.tmpdir);  // it may be long until it is needed
  o.limits.tmpdir = tmpdir_of(o.limits.tmpdir);
  return o;
}

}  // namespace

void add_merge_command(CLI::App& app, Command& chosen) {
  auto words = std::make_shared<MergeWords>();
  CLI::App* command = app.add_subcommand("merge", "sorted files of Flow Records into one");
  command
      ->add_option("FLOWS", words->options.files,
                   "files of Flow Records (CSV, JSON lines, IPFIX, Parquet), folders of them, or - for standard input")
      ->required();
  add_merge_options(*command, *words);
  command->footer(kMergeExamples);
  command->callback(
      [words, &chosen] { chosen = [words] { return merge(merge_options_of(*words), watch_for_interrupt()); }; });
}

}  // namespace warpmeter::inline app
