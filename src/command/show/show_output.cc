#include "command/show/show_output.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "command/show/row_output.h"
#include "core/noted_columns.h"
#include "core/record_writer.h"
#include "record/write/output_format.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {
namespace {

// `added`: columns that options add.
void refuse_new_columns(const Biflow& flow, const RecordLayout& layout, const RecordLayout& begun, std::size_t added) {
  if ((layout.vlan && !begun.vlan) || (layout.biflow && !begun.biflow) || (begun.absent & ~layout.absent) ||
      added + layout.extra.size() > begun.extra.size()) {
    throw Error("flow " + std::to_string(flow.number) +
                " has columns that none before it had, and the output has begun without them; with --sort, all is "
                "read before anything is written");
  }
}

class WholeRecords : public FlowOutput {
 public:
  // Without an output, a program takes them.
  WholeRecords(const OutputOptions& options, OutputFile* output) : options_(options), output_(output) {}

  void write(const Biflow& flow, const Annotations& noted, const RecordLayout& layout) override {
    begin(layout);
    refuse_new_columns(flow, layout, layout_, options_.extra_columns.size());
    const FlowRecord* const reverse = flow.has_reverse ? &flow.reverse : nullptr;
    if (noted.empty()) stream_->write(flow.forward, reverse);
    else stream_->write_annotated(flow.forward, reverse, noted);
  }

  void end(const RecordLayout& layout) override {
    begin(layout);
    stream_->flush();
    writer_->finish();
    writer_->end();
  }

 private:
  static constexpr std::size_t kTakenSection = 1 << 20;  // whoever takes many small ones is slow

  // Text and programs have every column anyway, and are told row by row what is absent.
  void begin(const RecordLayout& layout) {
    if (stream_) return;
    layout_ = layout;
    layout_.extra.insert(layout_.extra.begin(), options_.extra_columns.begin(), options_.extra_columns.end());
    if (!output_ || !holds_records_only(options_.format)) layout_.absent = 0;
    if (output_) open_file();
    else open_taker();
    writer_->begin();
  }

  void open_file() {
    format_ = make_file_format(options_, layout_);
    writer_ = format_->new_file(*output_);
    stream_.emplace(*writer_);
  }

  void open_taker() {
    layout_ = with_times(std::move(layout_), options_.times);
    writer_ = options_.taker(layout_);
    stream_.emplace(*writer_, kTakenSection);
  }

  const OutputOptions options_;
  OutputFile* const output_;
  RecordLayout layout_;
  std::unique_ptr<FileFormat> format_;
  std::unique_ptr<RecordWriter> writer_;
  std::optional<RecordStream> stream_;  // to it
};

class ChosenFields : public FlowOutput {
 public:
  // No columns: a good choice for people; for programs all, by other names.
  ChosenFields(const ColumnChoice& choice, const ExtraColumns& of_files, const OutputOptions& options, RowTarget target)
      : choice_(choice), options_(options), target_(std::move(target)) {
    if (!has_all()) columns_.emplace(choice, of_files, target_.audience, target_.times);
  }

  void write(const Biflow& flow, const Annotations& noted, const RecordLayout& layout) override {
    begin(layout);
    if (has_all()) refuse_new_columns(flow, layout, layout_, options_.extra_columns.size());
    rows_->write(flow, noted);
  }

  void end(const RecordLayout& layout) override {
    begin(layout);
    rows_->end();
  }

 private:
  bool has_all() const { return choice_.columns.empty() && choice_.naming != Naming::usual; }

  void begin(const RecordLayout& layout) {
    if (rows_) return;
    layout_ = layout;
    layout_.absent = 0;  // rows are told flow by flow what is absent
    layout_.extra.insert(layout_.extra.begin(), options_.extra_columns.begin(), options_.extra_columns.end());
    if (has_all()) {
      columns_.emplace(ChosenColumns::all_of(choice_.naming, layout_, options_.format), layout_.extra, target_.audience,
                       target_.times);
    } else if (columns_->empty()) {
      columns_->choose_usual(layout);
    }
    rows_.emplace(std::move(*columns_), std::move(target_));
    rows_->begin();
  }

  const ColumnChoice choice_;
  const OutputOptions options_;
  RowTarget target_;
  RecordLayout layout_;
  std::optional<ChosenColumns> columns_;  // until rows_ has them
  std::optional<FlowRows> rows_;
};

// The same to both.
class Both : public FlowOutput {
 public:
  Both(std::unique_ptr<FlowOutput> first, std::unique_ptr<FlowOutput> second)
      : first_(std::move(first)), second_(std::move(second)) {}

  void write(const Biflow& flow, const Annotations& noted, const RecordLayout& layout) override {
    first_->write(flow, noted, layout);
    second_->write(flow, noted, layout);
  }
  void end(const RecordLayout& layout) override {
    first_->end(layout);
    second_->end(layout);
  }

 private:
  const std::unique_ptr<FlowOutput> first_, second_;
};

ColumnChoice choice_of(const ShowOptions& options) {
  ColumnChoice choice = options.output.choice;
  choice.columns = options.columns;
  return choice;
}

std::unique_ptr<FlowOutput> of_file(const ShowOptions& options, const ExtraColumns& of_files, OutputFile& output) {
  const ColumnChoice choice = choice_of(options);
  if (options.output.format == Format::table || !choice.is_of_all()) {
    return std::make_unique<ChosenFields>(choice, of_files, options.output, file_target(options.output, output));
  }
  return std::make_unique<WholeRecords>(options.output, &output);
}

std::unique_ptr<FlowOutput> of_program(const ShowOptions& options, const ExtraColumns& of_files) {
  const ColumnChoice choice = choice_of(options);
  if (choice.is_of_all()) return std::make_unique<WholeRecords>(options.output, nullptr);
  OutputOptions of_rows = options.output;
  of_rows.format = Format::json;  // which has durations, too
  return std::make_unique<ChosenFields>(choice, of_files, of_rows, program_target(options));
}

}  // namespace

std::unique_ptr<FlowOutput> make_flow_output(const ShowOptions& options, const ExtraColumns& of_files,
                                             OutputFile* output) {
  if (!options.is_taken()) return of_file(options, of_files, *output);
  if (!output) return of_program(options, of_files);
  return std::make_unique<Both>(of_file(options, of_files, *output), of_program(options, of_files));
}

namespace {

// Those that a look at a terminal asks for, and what of it goes first on a narrow one.
constexpr std::pair<std::string_view, int> kUsualSums[] = {{"flows", 4},
                                                           {"packets", 0},
                                                           {"bytes", 0},
                                                           {"retransmitted_segments", 0},
                                                           {"retransmission_share", 5},
                                                           {"duplicate_packets", 1},
                                                           {"out_of_order_segments", 2},
                                                           {"missing_bytes", 3},
                                                           {"zero_window_count", 6}};

}  // namespace

SumOutput::SumOutput(const ShowOptions& options, RowTarget target)
    : target_(std::move(target)), keys_(options.sum_keys) {
  choose_columns(options.columns);
  if (!options.columns.empty()) return;
  for (const SumColumn& column : sum_columns()) {
    if (is_key(column.name())) continue;  // tcp_flags may be
    const auto usual = std::ranges::find(kUsualSums, column.name(), &std::pair<std::string_view, int>::first);
    if (usual == std::end(kUsualSums) && target_.audience == Audience::person) continue;
    columns_.push_back(column);
    ranks_.push_back(usual == std::end(kUsualSums) ? 0 : usual->second);
  }
}

bool SumOutput::is_key(const std::string& name) const {
  return std::ranges::find(keys_, name, &SumKey::name) != keys_.end();
}

// The keys are there in any case.
void SumOutput::choose_columns(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (is_key(name)) continue;
    const std::optional<SumColumn> column = SumColumn::of(name);
    if (!column) {
      throw Error("--columns: " + no_such_field(name, sum_column_names(name)), ExitStatus::usage);
    }
    columns_.push_back(*column);
  }
}

void SumOutput::begin() {
  const auto title = [this](const std::string& name) {
    return target_.audience == Audience::person ? field_title(name) : name_in(target_.times, name);
  };
  std::vector<RowColumn> columns;
  for (const SumKey& key : keys_)
    columns.push_back({title(key.name()), key.type(), 0, key.is_address() || key.type() == FieldType::text, false});
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const int rank = i < ranks_.size() ? ranks_[i] : 0;  // those that the user chose stay
    columns.push_back(
        {title(columns_[i].name()), columns_[i].type(), rank, false, tells_of_trouble(columns_[i].name())});
  }
  target_.rows->begin(columns);
}

std::vector<RowValue> SumOutput::values(const SumRow& row) const {
  std::vector<RowValue> values;
  std::size_t at = 0;
  for (const SumKey& key : keys_) values.push_back(key_value(key, key.value(row.group, at), target_.times));
  for (const SumColumn& column : columns_) {
    values.push_back(column.has_fraction() ? share_value(column.real(row))
                                           : number_value(column.type(), column.whole(row), target_.times));
  }
  return values;
}

void SumOutput::write(const std::vector<const SumRow*>& rows) {
  begin();
  for (const SumRow* row : rows) target_.rows->write(values(*row));
  target_.rows->end();
}

}  // namespace warpmeter::inline command
