#include "command/merge/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <string_view>

#include "base/program/files_in_use.h"
#include "base/program/messages.h"
#include "base/words/human_units.h"
#include "core/annotation_names.h"
#include "core/record_writer.h"
#include "record/write/output_format.h"
#include "record/write/record_output.h"
#include "warpmeter/columns.h"

namespace warpmeter::inline command {
namespace {

OutputOptions output_options_of_run(const MergeOptions& options, FilesInUse& in_use,
                                    const std::atomic<bool>& interrupted) {
  OutputOptions output = options.output;
  const auto complete = [&](OutputOptions& one) {
    one.in_use = &in_use;
    one.interrupted = &interrupted;
    one.tmpdir = options.limits.tmpdir;
  };
  complete(output);
  std::ranges::for_each(output.also, complete);
  if (output.collector) {
    output.collector->interrupted = [&interrupted] { return interrupted.load(); };
    output.collector->warn = [](const std::string& text) { warn(text); };
  }
  return output;
}

// Text has every column anyway.
RecordLayout layout_of_outputs(const MergedFlowFiles& files, const OutputOptions& o) {
  RecordLayout layout = files.layout();
  const auto is_text = [](const OutputOptions& one) { return !holds_records_only(one.format); };
  if (!o.collector && is_text(o) && std::ranges::all_of(o.also, is_text)) layout.absent = 0;
  layout.times = o.times;
  layout.extra.insert(layout.extra.begin(), o.extra_columns.begin(), o.extra_columns.end());
  return layout;
}

// The outputs have begun.
[[noreturn]] void refuse_new_column(std::string_view column) {
  throw Error(fmt::format("a flow has a column {}, which no file had in its first flow: the outputs have begun without",
                          column));
}

void refuse_new_columns(const Annotations& noted, const RecordLayout& begun) {
  for (const Annotation& annotation : noted.all()) {
    const auto is_it = [&](const auto& column) { return column->annotation() == annotation.column; };
    if (std::ranges::any_of(begun.extra, is_it)) continue;
    refuse_new_column(AnnotationNames::of_process().name(annotation.column));
  }
}

void refuse_new_columns(const FlowRecord& flow, const RecordLayout& begun) {
  std::string_view column;
  for (std::uint32_t left = begun.absent; left; left &= left - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(left));
    if (column_value(i, flow, flow.absent)) column = kColumns[i].name;
  }
  if (!begun.vlan && port_number(flow.key.vlan)) column = kVlanColumn;
  if (!column.empty()) refuse_new_column(column);
}

void refuse_new_columns(const Biflow& flow, const RecordLayout& begun) {
  refuse_new_columns(flow.forward, begun);
  if (!flow.has_reverse) return;
  refuse_new_columns(flow.reverse, begun);
  if (!begun.biflow) throw Error("a flow is a biflow, and the first of its file is none: they are in no known order");
}

void write_all(MergedFlowFiles& files, RecordOutput& output, const RecordLayout& layout,
               const std::atomic<bool>& interrupted) {
  const std::unique_ptr<FlowCursor> flows = files.merged();
  output.begin();
  RecordStream stream(output);
  for (; flows->head() && !interrupted; flows->advance()) {
    const Biflow& flow = *flows->head();
    refuse_new_columns(flow, layout);
    const FlowRecord* const reverse = flow.has_reverse ? &flow.reverse : nullptr;
    const Annotations& noted = flows->annotations();
    if (noted.empty()) {
      stream.write(flow.forward, reverse);
      continue;
    }
    refuse_new_columns(noted, layout);
    stream.write_annotated(flow.forward, reverse, noted);
  }
  // The readers end, too, so nobody knows whether that was all.
  if (interrupted) throw Error("interrupted before all was merged: no output", ExitStatus::interrupted);
  stream.flush();
  output.finish();
  output.end();
}

ExitStatus status_of(const FilesRead& read, const std::optional<ExportReport>& exported) {
  if (exported && !exported->problem.empty()) return ExitStatus::failed;
  return read.damage.empty() && read.unreadable.empty() ? ExitStatus::ok : ExitStatus::damaged;
}

}  // namespace

ExitStatus merge(const MergeOptions& options, const std::atomic<bool>& interrupted) {
  RecordInputs inputs = expand_record_inputs(options.files, options.recursive, interrupted);
  FilesInUse in_use(inputs.files);
  MergedFlowFiles files(std::move(inputs), options.limits, interrupted);
  const RecordLayout layout = layout_of_outputs(files, options.output);
  RecordOutput output(output_options_of_run(options, in_use, interrupted), layout);
  write_all(files, output, layout, interrupted);

  const FilesRead read = files.read();
  for (const std::string& line : warnings_of(read, "in the output")) warn(line);
  const std::optional<ExportReport> exported = output.export_report();
  if (exported && !exported->problem.empty()) warn(exported->problem);
  for (const std::string& line : output.left_over()) warn(line);
  if (!options.quiet) {
    say(fmt::format("  {} flows of {}\n", human_count(static_cast<double>(read.flows)), read.told));
  }
  return status_of(read, exported);
}

}  // namespace warpmeter::inline command
