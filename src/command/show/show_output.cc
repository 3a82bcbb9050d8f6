#include "command/show/show_output.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "command/show/field_text.h"
#include "core/noted_columns.h"
#include "core/record_writer.h"
#include "record/write/output_format.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {
namespace {

constexpr const char* kReplyIndent = "  ";  // the other direction of a biflow stands below, a little in

class WholeRecords : public FlowOutput {
 public:
  // Without an output, a program takes them.
  WholeRecords(const OutputOptions& options, OutputFile* output) : options_(options), output_(output) {}

  void write(const Biflow& flow, const Annotations& noted, const RecordLayout& layout) override {
    begin(layout);
    if ((layout.vlan && !layout_.vlan) || (layout.biflow && !layout_.biflow) || (layout_.absent & ~layout.absent) ||
        options_.extra_columns.size() + layout.extra.size() > layout_.extra.size()) {
      throw Error("flow " + std::to_string(flow.number) +
                  " has columns that none before it had, and the output has begun without them; with --sort, all is "
                  "read before anything is written");
    }
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
  // No columns: a good choice.
  ChosenFields(const std::vector<std::string>& columns, const ExtraColumns& of_files, RowTarget target)
      : target_(std::move(target)) {
    for (const std::string& name : columns) {
      std::optional<Field> field = Field::of(name);
      if (!field && has_noted_column(of_files, name)) field = Field::of_annotation(name);
      if (!field) throw Error("--columns: " + no_such_field(name), ExitStatus::usage);
      if (field->in_filters_only()) throw Error("--columns: " + name + " is for filters and sums", ExitStatus::usage);
      with_reverse_ |= field->reverse;
      fields_.push_back(*field);
    }
  }

  void write(const Biflow& flow, const Annotations& noted, const RecordLayout& layout) override {
    begin(layout);
    target_.rows->write(values(flow, noted));
    if (!flow.has_reverse || with_reverse_ || target_.audience == Audience::program) return;
    Biflow reply;
    reply.forward = flow.reverse;
    std::vector<RowValue> below = values(reply, other_direction_.of(noted));
    below.front() = kReplyIndent + value_text(fields_.front().type(), below.front(), target_.audience, target_.times);
    target_.rows->write(below);
  }

  void end(const RecordLayout& layout) override {
    begin(layout);
    target_.rows->end();
  }

 private:
  // A good choice, and what of it goes first on a narrow terminal.
  void choose_usual(const RecordLayout& layout) {
    static constexpr std::pair<const char*, int> kUsual[] = {{"source", 0},
                                                             {"destination", 0},
                                                             {"protocol", 4},
                                                             {"vlan_id", 4},
                                                             {"start_ns", 8},
                                                             {"duration", 6},
                                                             {"source_country", 3},
                                                             {"destination_country", 3},
                                                             {"labels", 1},
                                                             {"packets", 0},
                                                             {"bytes", 0},
                                                             {"retransmitted_segments", 0},
                                                             {"retransmission_share", 5},
                                                             {"duplicate_packets", 1},
                                                             {"out_of_order_segments", 2},
                                                             {"missing_bytes", 3},
                                                             {"zero_window_count", 9},
                                                             {"tcp_flags", 10},
                                                             {"end_reason", 7}};
    for (const auto& [name, rank] : kUsual) {
      const std::optional<Field> known = Field::of(name);
      const Field field = known ? *known : *Field::of_annotation(name);
      if (field.kind == Field::Kind::vlan && !layout.vlan) continue;
      if (field.kind == Field::Kind::annotation && !has_noted_column(layout.extra, name)) continue;
      fields_.push_back(field);
      ranks_.push_back(rank);
    }
  }

  void begin(const RecordLayout& layout) {
    if (begun_) return;
    begun_ = true;
    if (fields_.empty()) choose_usual(layout);
    ranks_.resize(fields_.size());  // of those that the user chose, all stay
    std::vector<RowColumn> columns;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      const Field field = fields_[i];
      const std::string name = field.name();
      const bool long_text = field.type() == FieldType::endpoint || field.type() == FieldType::address ||
                             field.type() == FieldType::text || field.type() == FieldType::texts;
      columns.push_back({target_.audience == Audience::person ? field_title(name) : name_in(target_.times, name),
                         field.type(), ranks_[i], long_text, tells_of_trouble(name)});
    }
    target_.rows->begin(columns);
  }

  std::vector<RowValue> values(const Biflow& flow, const Annotations& noted) const {
    std::vector<RowValue> row;
    row.reserve(fields_.size());
    for (const Field& field : fields_) row.push_back(field_value(field, flow, noted, target_.times));
    return row;
  }

  const RowTarget target_;
  std::vector<Field> fields_;
  std::vector<int> ranks_;  // of these
  OtherDirection other_direction_;
  bool with_reverse_ = false;  // then a reply has no line of its own
  bool begun_ = false;
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

std::unique_ptr<FlowOutput> of_file(const ShowOptions& options, const ExtraColumns& of_files, OutputFile& output) {
  if (options.output.format == Format::table || !options.columns.empty()) {
    return std::make_unique<ChosenFields>(options.columns, of_files, file_target(options, output));
  }
  return std::make_unique<WholeRecords>(options.output, &output);
}

std::unique_ptr<FlowOutput> of_program(const ShowOptions& options, const ExtraColumns& of_files) {
  if (options.columns.empty()) return std::make_unique<WholeRecords>(options.output, nullptr);
  return std::make_unique<ChosenFields>(options.columns, of_files, program_target(options));
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
