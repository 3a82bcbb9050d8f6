// What gives Flow Records as a job: an Extraction, of captures or of frames that the program has, and a Selection, of
// files or of Arrow arrays; and a PacketSelection, which gives rows of packets.
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/options_by_name.h"
#include "app/library/given_inputs.h"
#include "app/library/job_end.h"
#include "app/library/job_work.h"
#include "command/extract/extract.h"
#include "command/packets/select_packets.h"
#include "command/show/chosen_columns.h"
#include "command/show/show.h"
#include "core/typed_columns.h"
#include "pipeline/run/metering_run.h"
#include "warpmeter/extraction.h"
#include "warpmeter/packet_selection.h"
#include "warpmeter/selection.h"

namespace warpmeter {
namespace {

using Extract = std::function<Summary(const ExtractOptions& options, const std::atomic<bool>& interrupted)>;

Error no_flow_records(const char* options) {
  return Error(std::string(options) + " make rows that are no Flow Records: Delivery::arrow gives them",
               ExitStatus::usage);
}

std::unique_ptr<JobWork> begin_extraction(ExtractOptions options, Delivery delivery, Extract run) {
  const bool chooses = !options.output.choice.is_of_all();
  if (chooses && delivery == Delivery::flows) throw no_flow_records("chosen --columns and --names");
  auto work = std::make_unique<JobWork>(delivery);
  JobWork* const job = work.get();
  options.output.taker = [job, chosen = chooses ? std::optional(options.output) : std::nullopt](
                             const RecordLayout& layout) -> std::unique_ptr<RecordWriter> {
    if (chosen) return make_chosen_writer(*chosen, layout, job->row_taker());
    return job->taker(layout);
  };
  options.output.gives_up = &job->is_dropped();
  options.warn = [job](const std::string& line) { job->warn(line); };
  if (options.tell_progress)
    options.tell_progress = [job](const ReadingProgress& progress) { job->tell_progress(progress); };
  if (!chooses) job->know_columns(arrow_fields(typed_columns(layout_of_run(options))));
  job->begin([job, options = std::move(options), run = std::move(run)] {
    const Summary summary = run(options, job->interrupted());
    return JobEnd{summary_json(summary), summary.lost_some() ? problem_of(summary) : ""};
  });
  return work;
}

std::unique_ptr<JobWork> begin_extraction(std::vector<std::string> inputs, const Options& given, Delivery delivery) {
  ExtractOptions options = with_printable_failure([&] { return extract_options_of(given); });
  if (inputs.empty()) throw Error("there are no inputs", ExitStatus::usage);
  options.inputs = std::move(inputs);
  return begin_extraction(std::move(options), delivery, extract_and_sum_up);
}

std::unique_ptr<JobWork> begin_extraction(FrameFeed feed, const Options& given, Delivery delivery) {
  if (!feed) throw Error("there is no feed of frames", ExitStatus::usage);
  const auto run = [feed = std::make_shared<FrameFeed>(std::move(feed))](const ExtractOptions& options,
                                                                         const std::atomic<bool>& interrupted) {
    return extract_from(std::make_unique<FeedSource>(std::move(*feed), interrupted), options, interrupted);
  };
  return begin_extraction(with_printable_failure([&] { return extract_options_of(given); }), delivery, run);
}

using Show = std::function<ShowSummary(const ShowOptions& options, const std::atomic<bool>& interrupted)>;

std::unique_ptr<JobWork> begin_selection(ShowOptions options, Delivery delivery, Show show) {
  const bool chooses = !options.columns.empty() || !options.output.choice.is_of_all();
  if (delivery == Delivery::flows && (chooses || !options.sum_keys.empty())) {
    throw no_flow_records("--sum and --columns");
  }
  auto work = std::make_unique<JobWork>(delivery);
  JobWork* const job = work.get();
  options.output.taker = [job](const RecordLayout& layout) { return job->taker(layout); };
  options.output.gives_up = &job->is_dropped();
  options.row_taker = [job] { return job->row_taker(); };
  job->begin([job, options = std::move(options), show = std::move(show)] {
    const ShowSummary shown = show(options, job->interrupted());
    for (const std::string& line : lines_of(shown.read, "in the output")) job->warn(line);
    return JobEnd{summary_json(shown)};
  });
  return work;
}

std::unique_ptr<JobWork> begin_selection(std::vector<std::string> inputs, const Options& given, Delivery delivery) {
  ShowOptions options = with_printable_failure([&] { return show_options_of(given); });
  if (inputs.empty()) throw Error("there are no inputs", ExitStatus::usage);
  options.files = std::move(inputs);
  return begin_selection(std::move(options), delivery, show_and_sum_up);
}

std::unique_ptr<JobWork> begin_selection(const ArrowInput& input, const Options& given, Delivery delivery) {
  return begin_selection(with_printable_failure([&] { return show_options_of(given); }), delivery,
                         [input](const ShowOptions& options, const std::atomic<bool>& interrupted) {
                           return show_from(input.open(), input.name(), options, interrupted);
                         });
}

std::unique_ptr<JobWork> begin_packets(PacketsOptions options) {
  auto work = std::make_unique<JobWork>(Delivery::arrow);
  JobWork* const job = work.get();
  options.metering.output.gives_up = &job->is_dropped();
  options.check_wanted = [job] { job->check_wanted(); };
  options.metering.warn = [job](const std::string& line) { job->warn(line); };
  if (options.taker) options.taker = job->rows_taker();
  else job->know_columns({});
  job->begin(
      [job, options = std::move(options)] { return JobEnd{select_and_sum_up(options, job->interrupted()).summary}; });
  return work;
}

std::unique_ptr<JobWork> begin_packets(std::vector<std::string> inputs, const Options& given) {
  return begin_packets(with_printable_failure([&] { return packets_options_of(std::move(inputs), given, false); }));
}

std::unique_ptr<JobWork> begin_packets(std::vector<std::string> inputs, const ArrowInput& flows, const Options& given) {
  PacketsOptions options = with_printable_failure([&] { return packets_options_of(std::move(inputs), given, true); });
  options.open_flows = [flows] { return flows.open(); };
  options.flows_name = flows.name();
  return begin_packets(std::move(options));
}

}  // namespace

Extraction::Extraction(std::vector<std::string> inputs, const Options& options, Delivery delivery)
    : FlowSource(begin_extraction(std::move(inputs), options, delivery)) {}

Extraction::Extraction(FrameFeed feed, const Options& options, Delivery delivery)
    : FlowSource(begin_extraction(std::move(feed), options, delivery)) {}

Selection::Selection(std::vector<std::string> inputs, const Options& options, Delivery delivery)
    : FlowSource(begin_selection(std::move(inputs), options, delivery)) {}

Selection::Selection(ArrowArrayStream& flows, std::string name, const Options& options, Delivery delivery)
    : FlowSource(begin_selection(ArrowInput(flows, std::move(name)), options, delivery)) {}

PacketSelection::PacketSelection(std::vector<std::string> inputs, const Options& options)
    : FlowSource(begin_packets(std::move(inputs), options)) {}

PacketSelection::PacketSelection(std::vector<std::string> inputs, ArrowArrayStream& flows, std::string name,
                                 const Options& options)
    : FlowSource(begin_packets(std::move(inputs), ArrowInput(flows, std::move(name)), options)) {}

}  // namespace warpmeter
