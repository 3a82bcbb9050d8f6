#include "command/show/chosen_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/words/printable.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {
namespace {

constexpr const char* kReplyIndent = "  ";  // the other direction of a biflow stands below, a little in

[[noreturn]] void refuse_column(const std::string& name, const std::string& why) {
  throw Error("--columns " + shortened(name) + why, ExitStatus::usage);
}

std::shared_ptr<const ExtraColumn> found_in(const ExtraColumns& columns, const std::string& name) {
  const auto found = std::ranges::find(columns, name, &ExtraColumn::name);
  return found == columns.end() ? nullptr : *found;
}

// A text that an option or a file adds: its column has the seed of a hash, or the number of the annotation, which a
// field of that name has not.
bool knows_more(const ExtraColumn& column) { return column.annotation() || (!column.annex() && !column.is_number()); }

FieldType type_of(const ExtraColumn& column) {
  if (column.is_list()) return FieldType::texts;
  return column.is_number() ? FieldType::number : FieldType::text;
}

RowValue value_of(const ExtraColumn& column, const Biflow& flow, const Annotations& noted) {
  if (column.is_number()) {
    const auto number = column.number(flow.forward, flow.has_reverse ? &flow.reverse : nullptr, noted);
    return number ? RowValue(*number) : RowValue();
  }
  std::string text;
  if (column.is_list()) text = fmt::format("{}", fmt::join(noted.list_of(*column.annotation()), ";"));
  else if (column.annotation()) text = noted.first_of(*column.annotation());
  else {
    text.resize(column.most());
    text.resize(static_cast<std::size_t>(column.write(text.data(), flow.forward, noted) - text.data()));
  }
  return text.empty() ? RowValue() : RowValue(std::move(text));
}

bool is_long_text(FieldType type) {
  return type == FieldType::endpoint || type == FieldType::address || type == FieldType::text ||
         type == FieldType::texts;
}

// The name in nanoseconds of a column that files of that form have by another.
std::string in_nanoseconds(const std::string& name, TimeForm form) {
  const bool reverse = name.starts_with(kReversePrefix);
  const std::string bare = name.substr(reverse ? kReversePrefix.size() : 0);
  const TimeNames from = time_names(form), to = time_names(TimeForm::ns);
  for (const auto member :
       {&TimeNames::start, &TimeNames::end, &TimeNames::duration, &TimeNames::connection, &TimeNames::handshake}) {
    if (from.*member == bare) return name.substr(0, name.size() - bare.size()).append(to.*member);
  }
  return name;
}

}  // namespace

std::vector<std::string> split_columns(const std::string& option, const std::string& names) {
  std::vector<std::string> columns;
  for (std::size_t from = 0; from <= names.size() && !names.empty();) {
    const std::size_t comma = std::min(names.find(',', from), names.size());
    columns.push_back(names.substr(from, comma - from));
    if (columns.back().empty()) throw Error(option + ": a name is empty", ExitStatus::usage);
    from = comma + 1;
  }
  return columns;
}

RowTarget file_target(const OutputOptions& options, ByteSink& output) {
  const bool typed = options.format == Format::parquet;
  return {options.format == Format::table ? Audience::person : Audience::program,
          typed && options.times == TimeForm::iso ? TimeForm::ns : options.times, make_row_output(options, output)};
}

ChosenColumns::ChosenColumns(const ColumnChoice& choice, const ExtraColumns& extra, Audience audience, TimeForm times)
    : audience_(audience), times_(times) {
  for (const std::string& name : choice.columns) add(name, extra);
  refuse_twice();
}

void ChosenColumns::add(const std::string& name, const ExtraColumns& extra) {
  std::shared_ptr<const ExtraColumn> more = found_in(extra, name);
  std::optional<Field> field = Field::of(name);
  if (!field) field = Field::of(in_nanoseconds(name, times_));
  if (more && (!field || knows_more(*more))) {
    const FieldType type = type_of(*more);
    chosen_.push_back({.column = {audience_ == Audience::person ? field_title(name) : name, type, 0, is_long_text(type),
                                  tells_of_trouble(name)},
                       .asked = name,
                       .extra = std::move(more)});
    return;
  }
  if (!field && has_noted_column(extra, name)) field = Field::of_annotation(name);
  if (!field) throw Error("--columns: " + no_such_field(name), ExitStatus::usage);
  if (field->in_filters_only()) throw Error("--columns: " + name + " is for filters and sums", ExitStatus::usage);
  add_field(name, *field);
}

void ChosenColumns::add_field(const std::string& asked, Field field, int rank) {
  const std::string name = field.name();
  const std::string title = audience_ == Audience::person ? field_title(name) : name_in(times_, name);
  with_reverse_ |= field.reverse;
  chosen_.push_back({.column = {title, field.type(), rank, is_long_text(field.type()), tells_of_trouble(name)},
                     .asked = asked,
                     .field = field});
}

// Some columns have two names.
void ChosenColumns::refuse_twice() const {
  std::set<std::string> met;
  for (const Chosen& chosen : chosen_) {
    if (met.insert(chosen.field ? chosen.field->name() : chosen.asked).second) continue;
    throw Error("--columns: '" + shortened(chosen.asked) + "' is there twice", ExitStatus::usage);
  }
}

void ChosenColumns::must_be_in(const RecordLayout& layout) const {
  for (const Chosen& chosen : chosen_) {
    if (!chosen.field) continue;
    const Field field = *chosen.field;
    if (field.is_of_biflows() && !layout.biflow) refuse_column(chosen.asked, " goes with --biflow");
    if (field.kind == Field::Kind::vlan && !layout.vlan) refuse_column(chosen.asked, " goes with --key-vlan");
    if (field.kind == Field::Kind::annotation) refuse_column(chosen.asked, " goes with --policy");
    if (field.kind == Field::Kind::annex && !found_in(layout.extra, field.name()))
      refuse_column(chosen.asked,
                    " goes with --annex " + field.name().substr(field.reverse ? kReversePrefix.size() : 0));
    if (field.kind == Field::Kind::first_packet && !layout.numbered)
      refuse_column(chosen.asked, ": a live capture is no trace whose packets are numbered");
  }
}

void ChosenColumns::choose_usual(const RecordLayout& layout) {
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
    add_field(name, field, rank);
  }
}

std::vector<RowColumn> ChosenColumns::columns() const {
  std::vector<RowColumn> columns;
  std::ranges::transform(chosen_, std::back_inserter(columns), &Chosen::column);
  return columns;
}

RowValue ChosenColumns::value(const Chosen& chosen, const Biflow& flow, const Annotations& noted) const {
  return chosen.field ? field_value(*chosen.field, flow, noted, times_) : value_of(*chosen.extra, flow, noted);
}

std::vector<RowValue> ChosenColumns::values(const Biflow& flow, const Annotations& noted) const {
  std::vector<RowValue> row;
  row.reserve(chosen_.size());
  for (const Chosen& chosen : chosen_) row.push_back(value(chosen, flow, noted));
  return row;
}

void FlowRows::write(const Biflow& flow, const Annotations& noted) {
  target_.rows->write(columns_.values(flow, noted));
  if (!flow.has_reverse || columns_.with_reverse() || target_.audience == Audience::program) return;
  Biflow reply;
  reply.forward = flow.reverse;
  std::vector<RowValue> below = columns_.values(reply, other_direction_.of(noted));
  below.front() =
      kReplyIndent + value_text(columns_.columns().front().type, below.front(), target_.audience, target_.times);
  target_.rows->write(below);
}

}  // namespace warpmeter::inline command
