// Options by their names, as programs give them, to those of a run: what a command line with these names would say.
#pragma once

#include <string>
#include <vector>

#include "command/packets/select_packets.h"
#include "command/reassemble/reassemble.h"
#include "command/report/report.h"
#include "command/show/show.h"
#include "pipeline/metering/extract_options.h"
#include "warpmeter/job.h"

namespace warpmeter {

// Of a run that says nothing on standard error, and writes to no output but those that are named. These throw Error
// (usage), which is not printable. `has_flows`: of packets, whose flows the program has.
ExtractOptions extract_options_of(const Options& options);
ShowOptions show_options_of(const Options& options);
ReassembleCommandOptions reassemble_options_of(const Options& options);
PacketsOptions packets_options_of(std::vector<std::string> inputs, const Options& options, bool has_flows);
ReportOptions report_options_of(const Options& options, const std::string& output);

}  // namespace warpmeter
