// `warpmeter report`: files of Flow Records to a page.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "pipeline/interrupt.h"
#include "pipeline/report.h"

namespace warpmeter {
namespace {

constexpr std::size_t kMostRows = 1000;

const char* const kExamples = R"(
Examples:
  warpmeter report flows.csv -o report.html
  warpmeter report monday/ -o monday.html             all files of Flow Records in a folder
  warpmeter extract trace.pcap | warpmeter report - -o report.html --title "Link 7, Monday")";

}  // namespace

void add_report_command(CLI::App& app, Command& chosen) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command = app.add_subcommand("report", "Flow Records to an HTML page with charts");
  command
      ->add_option("FLOWS", options->inputs,
                   "files of Flow Records, as extract writes them, folders of such files, or - for standard input")
      ->required();
  command->add_flag("--recursive", options->recursive, "folders with all folders below them");
  command
      ->add_option("-o,--output", options->output, "the page: one file that loads nothing else; - is standard output")
      ->type_name("FILE")
      ->required();
  command->add_option("--title", options->title, "heading of the page (default: Flow report)")->type_name("TEXT");
  command->add_option("--top", options->rows, "rows of each list, 1 to 1000 (default 10)")
      ->type_name("N")
      ->check(CLI::Range(std::size_t{1}, kMostRows));
  command->footer(kExamples);
  command->callback([options, &chosen] { chosen = [options] { return report(*options, watch_for_interrupt()); }; });
}

}  // namespace warpmeter
