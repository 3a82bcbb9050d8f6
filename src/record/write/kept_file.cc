#include "record/write/kept_file.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "base/program/messages.h"
#include "base/words/human_units.h"
#include "warpmeter/status.h"

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

KeptFile::KeptFile(std::shared_ptr<const FileFormat> format, const std::function<std::unique_ptr<FileWriter>()>& open,
                   OutputLoss& loss)
    : format_(std::move(format)), counted_(*format_), loss_(loss) {
  attempt([&] { file_ = open(); });
}

template <class Do>
void KeptFile::attempt(Do&& what) {
  try {
    what();
  } catch (const PipeClosed&) {
    throw;
  } catch (const Error& error) {
    if (problem_.empty()) problem_ = error.what();
    broken_ = true;
  }
}

void KeptFile::begin() {
  if (is_full()) return;
  attempt([&] { file_->begin(); });
}

void KeptFile::append(RecordSection& section) {
  auto& counted = static_cast<CountedSection&>(section);
  const RecordSums sums = counted.take_sums();
  all_.add(sums);
  if (!is_full()) attempt([&] { take(counted.inner(), sums); });
  counted.clear();
}

void KeptFile::take(RecordSection& section, const RecordSums& sums) {
  if (!make_room(section.bytes())) return;
  file_->append(section);
  taken_.add(sums);
  if (!file_->may_be_cut()) return;
  file_->settle();
  marks_.push_back({file_->bytes(), taken_});
  forget_marks();
}

// Those before the last one that is written for sure.
void KeptFile::forget_marks() {
  while (marks_.size() > 1 && marks_[1].bytes <= file_->written()) marks_.pop_front();
}

bool KeptFile::make_room(std::uint64_t bytes) {
  if (file_->may_be_cut() || file_->reserve(bytes) == 0) return true;
  file_->settle();  // what is held takes less room once it is written than had to be expected
  const int error = file_->reserve(bytes);
  if (error != 0) problem_ = file_->file_name() + ": cannot be written: " + std::strerror(error);
  return error == 0;
}

void KeptFile::drop() {
  file_.reset();
  taken_ = {};
}

// Behind the last section that is written as a whole.
void KeptFile::cut() {
  if (!file_->may_be_cut()) return drop();
  forget_marks();
  taken_ = marks_.front().sums;
  try {
    file_->cut_to(marks_.front().bytes);
  } catch (const Error&) {
    drop();
  }
}

void KeptFile::finish() {
  if (std::exchange(finished_, true) || !file_) return;
  if (!broken_) attempt([&] { file_->finish(); });
  if (broken_) cut();
  if (file_ && is_full() && taken_.records == 0) drop();
}

void KeptFile::end() {
  finish();
  if (file_) {
    broken_ = false;
    attempt([&] { file_->end(); });
    if (broken_) drop();
  }
  loss_.tell(all_, taken_, problem_);
}

void KeptFile::was_to_hold(const RecordSums& all, const std::string& why) {
  all_ = all;
  if (problem_.empty() && !why.empty()) problem_ = file_->file_name() + ": " + why;
}

}  // namespace warpmeter::inline record
