#include "record/write/output_loss.h"

#include <fmt/format.h>

#include <utility>

#include "base/program/messages.h"
#include "base/words/human_units.h"

namespace warpmeter::inline record {

std::string text_of(const RecordSums& sums) {
  return fmt::format("{} ({}, {})", human_number_of(sums.records, "Flow Record"),
                     human_number_of(sums.packets, "packet"), human_number_of(sums.octets, "octet"));
}

std::string text_of(const std::vector<OutputLossCounts>& outputs) {
  std::string text;
  for (const OutputLossCounts& output : outputs) {
    if (output.lost.records == 0) continue;
    text += fmt::format("{}{} for {}", text.empty() ? "" : "; ", text_of(output.lost), output.output);
  }
  return text;
}

OutputLoss::OutputLoss(std::string output, bool goes_on) : goes_on_(goes_on) { counts_.output = std::move(output); }

void OutputLoss::tell(const RecordSums& all, const RecordSums& kept, const std::string& problem) {
  const std::lock_guard lock(mutex_);
  const bool failed_before = std::exchange(counts_.is_failing, !problem.empty());
  if (!counts_.is_failing) {
    if (!failed_before) return;
    const RecordSums lost = counts_.lost.without(when_it_began_.lost);
    warn(fmt::format("{}: is written again, after {} that could not be: {} lost", counts_.output,
                     human_number_of(counts_.files - when_it_began_.files, "file"), text_of(lost)));
    return;
  }
  if (!failed_before) {
    when_it_began_ = counts_;
    const RecordSums lost = all.without(kept);
    warn(fmt::format("{}: {} of {} Flow Records are in it, {} lost{}", problem, kept.records, all.records,
                     text_of(lost), goes_on_ ? "; the next file is tried again" : ""));
  }
  ++counts_.files;
  counts_.lost.add(all.without(kept));
  counts_.problem = problem;
}

OutputLossCounts OutputLoss::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace warpmeter::inline record
