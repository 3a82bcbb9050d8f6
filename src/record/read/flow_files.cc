#include "record/read/flow_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "base/program/messages.h"
#include "base/program/terminal.h"
#include "base/words/human_units.h"
#include "core/noted_columns.h"
#include "packet/file/inputs.h"
#include "record/read/record_inputs.h"
#include "warpmeter/status.h"

namespace warpmeter::inline record {

FlowFile::FlowFile(std::unique_ptr<RecordReader> reader)
    : reader_(std::move(reader)), has_first_(reader_->next(first_)) {
  take_layout();
}

FlowFile FlowFile::open(const std::string& path, const std::atomic<bool>& interrupted) {
  try {
    return FlowFile(open_reader(path, &interrupted));
  } catch (const Error& error) {
    if (error.status() != ExitStatus::failed) throw;
    throw CaptureError(error.what());
  }
}

bool FlowFile::next(Biflow& flow) {
  const bool is_there = has_first_ || reader_->next(flow);
  if (has_first_) flow = first_;
  has_first_ = false;
  take_layout();
  if (!is_there) return false;
  flow.of_biflows = layout_.biflow;
  flow.forward.absent |= layout_.absent;
  flow.reverse.absent |= layout_.absent;
  if (columns_ > 0) take_annotations();
  return true;
}

// Readers tell no more than this of it.
void FlowFile::take_layout() {
  const RecordLayout layout = reader_->layout();
  layout_.vlan = layout.vlan;
  layout_.biflow = layout.biflow;
  layout_.absent = layout.absent;
  if (layout.extra.size() != columns_) know_columns(layout.extra);
}

// Those of JSON become more on the way.
void FlowFile::know_columns(const ExtraColumns& columns) {
  columns_ = columns.size();
  for (const auto& column : columns) {
    if (column->annotation() != numbers_.size()) continue;  // known before, or of an annex
    const std::optional<std::uint32_t> number = AnnotationNames::of_process().number(column->name());
    numbers_.push_back(number);
    if (!number) continue;
    layout_.extra.push_back(
        std::make_shared<AnnotationColumn>(std::string(column->name()), *number, column->is_list()));
  }
  ExtraColumns annexes;
  std::ranges::copy_if(columns, std::back_inserter(annexes),
                       [](const auto& column) { return column->annex().has_value(); });
  add_annotation_columns(layout_.extra, annexes);
}

void FlowFile::take_annotations() {
  annotations_.clear();
  for (const Annotation& annotation : reader_->annotations().all()) {
    if (const auto number = numbers_[annotation.column]) annotations_.add({0, *number, annotation.text});
  }
  annotations_.add_annexes(reader_->annotations());
  const std::optional<std::uint32_t> labels = AnnotationNames::of_process().number(kLabelsName);
  left_out_labels_ = annotations_.keep_first(labels.value_or(0));
}

FlowFiles::FlowFiles(RecordInputs inputs, const std::atomic<bool>& interrupted)
    : inputs_(std::move(inputs)), interrupted_(interrupted) {
  layout_.absent = ~std::uint32_t{0};
  look_into_all();
}

FlowFiles::FlowFiles(std::unique_ptr<RecordReader> reader, std::string name, const std::atomic<bool>& interrupted)
    : interrupted_(interrupted) {
  inputs_.files.push_back(std::move(name));
  opened_.emplace_back(FlowFile(std::move(reader)));
  layout_ = opened_.front()->layout();
}

void FlowFiles::look_into_all() {
  std::vector<std::string> readable;
  for (const std::string& path : inputs_.files) {
    try {
      std::optional<FlowFile> opened(FlowFile::open(path, interrupted_));
      add_layout(opened->layout());
      std::error_code ignored;
      const bool again = !readable.empty() && std::filesystem::is_regular_file(path, ignored);
      if (again) opened.reset();
      opened_.push_back(std::move(opened));
      readable.push_back(path);
    } catch (const Error& error) {
      note_unreadable(error);
    }
  }
  if (readable.empty()) throw CaptureError(joined(inputs_.unreadable));
  inputs_.files = std::move(readable);
}

// Called by handlers. What is wrong with one file is nothing for the others.
void FlowFiles::note_unreadable(const Error& error) {
  const bool alone = inputs_.files.size() == 1 && inputs_.unreadable.empty();
  if (alone || error.status() != ExitStatus::failed) throw;
  inputs_.unreadable.push_back(error.what());
}

void FlowFiles::add_layout(const RecordLayout& layout) {
  layout_.vlan |= layout.vlan;
  layout_.biflow |= layout.biflow;
  layout_.absent &= layout.absent;
  if (!layout.extra.empty()) add_annotation_columns(layout_.extra, layout.extra);
}

bool FlowFiles::next(Biflow& flow) {
  for (; at_ < inputs_.files.size() && !interrupted_; ++at_) {
    bool more = false;
    try {
      more = next_of(at_, flow);
    } catch (const Error& error) {
      note_unreadable(error);
    }
    if (more && geo_) {  // whose errors are none of the file's
      located_ = opened_[at_]->annotations();
      geo_->note(flow.forward.key, located_);
    }
    if (more) return true;
    opened_[at_].reset();
  }
  // A reader that is interrupted ends as if its file did.
  read_all_ = read_all_ || (at_ == inputs_.files.size() && !interrupted_);
  return false;
}

void FlowFiles::locate(GeoDatabases& geo) {
  geo_ = &geo;
  add_annotation_columns(layout_.extra, geo.columns());
}

bool FlowFiles::next_of(std::size_t file, Biflow& flow) {
  const std::string& path = inputs_.files[file];
  std::optional<FlowFile>& opened = opened_[file];
  if (!opened) opened.emplace(FlowFile::open(path, interrupted_));
  const bool more = opened->next(flow);
  add_layout(opened->layout());
  if (!more) {
    columns_cut_ += opened->leaves_out_columns();
    if (const auto& damage = opened->damage()) {
      damage_.push_back({path == "-" ? "standard input" : path, *damage});
    }
    return false;
  }
  labels_cut_ += opened->left_out_labels();
  flow.number = ++flows_;
  return true;
}

std::vector<std::string> warnings_of(const FilesRead& read, std::string_view place) {
  std::vector<std::string> lines;
  for (const DamagedFile& d : read.damage) {
    lines.push_back(fmt::format("{}: damaged at byte {}: {}; what came before is {}", d.name, d.damage.offset,
                                d.damage.reason, place));
  }
  lines.insert(lines.end(), read.unreadable.begin(), read.unreadable.end());
  if (read.labels_cut) {
    lines.push_back(fmt::format("{} with more than {} labels; the first of these are {}",
                                human_number_of(read.labels_cut, "flow"), kMostTexts, place));
  }
  if (read.columns_cut) {
    lines.push_back(fmt::format("{} with more than {} columns of labels and fields; the first of these are {}",
                                human_number_of(read.columns_cut, "file"), NotedColumns::kMost, place));
  }
  if (read.lacks_biflows) {
    lines.push_back("the filter asks for what only biflows have, and there are none: extract --biflow writes them");
  }
  return lines;
}

std::string FlowFiles::how_far() const {
  std::string text = human_count(static_cast<double>(flows_)) + " flows";
  if (inputs_.files.size() > 1) text += fmt::format(", file {} of {}", at_ + 1, inputs_.files.size());
  return text;
}

RecordProgress::RecordProgress(const FlowFiles& files, bool wanted)
    : files_(files), is_wanted_(wanted && can_redraw(STDERR_FILENO)), next_(start_ + std::chrono::seconds(1)) {}

RecordProgress::~RecordProgress() {
  if (is_wanted_) wipe_line();
}

void RecordProgress::look() {
  constexpr auto kEvery = std::chrono::milliseconds(500);
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + kEvery;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  draw_line(
      fmt::format("\r\033[K{}, {} flows/s", files_.how_far(), human_count(static_cast<double>(ticks_) / seconds)));
}

}  // namespace warpmeter::inline record
