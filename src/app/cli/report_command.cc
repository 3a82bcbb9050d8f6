// `warpmeter report`: files of Flow Records to a page.
#include <CLI/CLI.hpp>
#include <memory>

#include "app/cli/command_words.h"
#include "app/cli/commands.h"
#include "app/cli/input_words.h"
#include "app/cli/parse_values.h"
#include "base/program/interrupt.h"
#include "command/report/report.h"

namespace warpmeter::inline app {
namespace {

constexpr std::size_t kMostRows = 1000;

const char* const kReportExamples =
    R"(Examples:
  warpmeter report flows.csv -o report.html
  warpmeter report monday/ -o monday.html
  warpmeter report flows.csv -f 'host 10.0.0.1' -o host.html
  warpmeter extract t.pcap | warpmeter report - -o report.html --title "Link 7")";

}  // namespace

void add_page_options(CLI::App& command, ReportOptions& options) {
  add_recursive(command, options.recursive);
  add_geo(command, options.geo);
  command
      .add_option("-f,--filter", options.filter,
                  "only flows that meet this, such as 'host 10.0.0.1 and tcp'; show --help has the language")
      ->type_name("EXPR");
  command.add_option("-o,--output", options.output, "the page: one file that loads nothing else; - is standard output")
      ->type_name("FILE")
      ->each([](const std::string& name) { refuse_folder("-o", name); })
      ->required();
  command
      .add_option(
          "--stats", options.stats_file,
          "what extract --stats wrote when it made the flows: the page tells what could not be read, damage, and "
          "files between which time runs back")
      ->type_name("FILE");
  command
      .add_option("--coalescing", options.coalescing_file,
                  "what coalesce --dry-run --stats wrote of the same captures: the page tells what joined packets "
                  "would save")
      ->type_name("FILE");
  command.add_option("--title", options.title, "heading of the page (default: Flow report)")->type_name("TEXT");
  add_count(command, "--top", 1, kMostRows, "rows of each list, 1 to 1000 (default 10)",
            [&options](std::uint64_t n) { options.rows = n; });
  command.option_defaults()->group("Messages");
  command.add_flag("-q,--quiet", options.quiet, "no line on standard error about how many files were read");
}

void add_report_command(CLI::App& app, Command& chosen) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command = app.add_subcommand("report", "Flow Records to an HTML page with charts");
  command
      ->add_option("FLOWS", options->inputs,
                   "files of Flow Records, as extract writes them, folders of such files, or - for standard input")
      ->required();
  add_page_options(*command, *options);
  command->footer(kReportExamples);
  command->callback([options, &chosen] {
    chosen = [options] {
      options->progress = !options->quiet;
      return report(*options, watch_for_interrupt());
    };
  });
}

}  // namespace warpmeter::inline app
