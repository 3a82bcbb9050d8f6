#include "show/flow_output.h"

#include <optional>
#include <utility>
#include <vector>

#include "core/record_stream.h"
#include "output/output_format.h"
#include "show/field_text.h"
#include "show/row_output.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

constexpr const char* kReplyIndent = "  ";  // the other direction of a biflow stands below, a little in

class WholeRecords : public FlowOutput {
 public:
  WholeRecords(const OutputOptions& options, OutputFile& output) : options_(options), output_(output) {}

  void write(const Biflow& flow, const RecordLayout& layout) override {
    begin(layout);
    if ((layout.vlan && !layout_.vlan) || (layout.biflow && !layout_.biflow) || (layout_.absent & ~layout.absent)) {
      throw Error("flow " + std::to_string(flow.forward.arrival) +
                  " has columns that none before it had, and the output has begun without them; with --sort, all is "
                  "read before anything is written");
    }
    stream_->write(flow.forward, flow.has_reverse ? &flow.reverse : nullptr);
  }

  void end(const RecordLayout& layout) override {
    begin(layout);
    stream_->flush();
    file_->end();
  }

 private:
  // Text has every column anyway, and says row by row what is absent.
  void begin(const RecordLayout& layout) {
    if (stream_) return;
    layout_ = layout;
    if (!holds_records_only(options_.format)) layout_.absent = 0;
    format_ = make_file_format(options_, layout_);
    file_ = format_->new_file(output_);
    file_->begin();
    stream_.emplace(*file_);
  }

  const OutputOptions options_;
  OutputFile& output_;
  RecordLayout layout_;
  std::unique_ptr<FileFormat> format_;
  std::unique_ptr<FormattedFile> file_;
  std::optional<RecordStream> stream_;  // to it
};

class ChosenFields : public FlowOutput {
 public:
  ChosenFields(const ShowOptions& options, OutputFile& output)
      : audience_(options.output.format == Format::table ? Audience::person : Audience::program),
        times_(options.output.times),
        rows_(make_row_output(options.output, output)) {
    for (const std::string& name : options.columns) {
      const std::optional<Field> field = Field::of(name);
      if (!field) throw Error("--columns: " + no_such_field(name), ExitStatus::usage);
      if (field->in_filters_only()) throw Error("--columns: " + name + " is for filters and sums", ExitStatus::usage);
      with_reverse_ |= field->reverse;
      fields_.push_back(*field);
    }
  }

  void write(const Biflow& flow, const RecordLayout& layout) override {
    begin(layout);
    rows_->write(cells(flow));
    if (!flow.has_reverse || with_reverse_ || audience_ == Audience::program) return;
    Biflow reply;
    reply.forward = flow.reverse;
    std::vector<std::string> below = cells(reply);
    below.front().insert(0, kReplyIndent);
    rows_->write(below);
  }

  void end(const RecordLayout& layout) override {
    begin(layout);
    rows_->end();
  }

 private:
  // A good choice, and what of it goes first on a narrow terminal.
  void choose_usual(const RecordLayout& layout) {
    static constexpr std::pair<const char*, int> kUsual[] = {{"source", 0},
                                                             {"destination", 0},
                                                             {"protocol", 1},
                                                             {"vlan_id", 1},
                                                             {"start_ns", 7},
                                                             {"duration", 6},
                                                             {"packets", 0},
                                                             {"bytes", 0},
                                                             {"retransmitted_segments", 0},
                                                             {"retransmission_share", 2},
                                                             {"duplicate_packets", 3},
                                                             {"out_of_order_segments", 4},
                                                             {"missing_bytes", 5},
                                                             {"zero_window_count", 9},
                                                             {"tcp_flags", 10},
                                                             {"end_reason", 8}};
    for (const auto& [name, rank] : kUsual) {
      const Field field = *Field::of(name);
      if (field.kind == Field::Kind::vlan && !layout.vlan) continue;
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
      const bool long_text = field.type() == FieldType::endpoint || field.type() == FieldType::address;
      columns.push_back({audience_ == Audience::person ? field_title(name) : name_in(times_, name),
                         is_text(field.type(), audience_, times_), ranks_[i], long_text, tells_of_trouble(name)});
    }
    rows_->begin(columns);
  }

  std::vector<std::string> cells(const Biflow& flow) const {
    std::vector<std::string> cells;
    cells.reserve(fields_.size());
    for (const Field& field : fields_) cells.push_back(field_text(field, flow, audience_, times_));
    return cells;
  }

  const Audience audience_;
  const TimeForm times_;
  const std::unique_ptr<RowOutput> rows_;
  std::vector<Field> fields_;
  std::vector<int> ranks_;     // of these
  bool with_reverse_ = false;  // then a reply has no line of its own
  bool begun_ = false;
};

}  // namespace

std::unique_ptr<FlowOutput> make_flow_output(const ShowOptions& options, OutputFile& output) {
  if (options.output.format == Format::table || !options.columns.empty()) {
    return std::make_unique<ChosenFields>(options, output);
  }
  return std::make_unique<WholeRecords>(options.output, output);
}

}  // namespace warpmeter
