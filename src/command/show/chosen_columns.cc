#include "command/show/chosen_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/words/printable.h"
#include "record/columns/column_option.h"
#include "warpmeter/columns.h"
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

// Which of the names of that form it is, perhaps with reverse_ before it; null: none.
std::string_view TimeNames::*time_of_name(const std::string& name, TimeForm form) {
  const std::string bare = name.substr(name.starts_with(kReversePrefix) ? kReversePrefix.size() : 0);
  const TimeNames names = time_names(form);
  for (const auto member :
       {&TimeNames::start, &TimeNames::end, &TimeNames::duration, &TimeNames::connection, &TimeNames::handshake}) {
    if (names.*member == bare) return member;
  }
  return nullptr;
}

// The name in nanoseconds of a column that files of that form have by another.
std::string in_nanoseconds(const std::string& name, TimeForm form) {
  const auto member = time_of_name(name, form);
  if (!member) return name;
  return std::string(name.starts_with(kReversePrefix) ? kReversePrefix : "").append(time_names(TimeForm::ns).*member);
}

// start of start_ns, reverse_duration of reverse_duration_us; other names as they are.
std::string without_unit(const std::string& name, TimeForm form) {
  return time_of_name(name, form) ? name.substr(0, name.rfind('_')) : name;
}

// What Zeek has, and what options and files add that is none of it.
std::vector<std::string> conn_log_with(const RecordLayout& layout) {
  std::vector<std::string> columns = conn_log_columns();
  if (layout.vlan) columns.emplace_back(kVlanColumn);
  for (const auto& column : layout.extra) {
    const std::string name(column->name());
    const std::vector<std::string> names = names_in(Naming::zeek, name);
    if (std::ranges::find(columns, names.front()) == columns.end()) columns.push_back(name);
  }
  return columns;
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
    : audience_(audience), times_(times), naming_(choice.naming) {
  for (const std::string& name : choice.columns) add(name, extra);
  refuse_twice();
}

void ChosenColumns::add(const std::string& name, const ExtraColumns& extra) {
  const std::size_t from = chosen_.size();
  if (naming_ == Naming::usual) return add_own(name, extra);
  const std::string column = column_of(naming_, name);
  const OtherValue* const other = column.empty() ? other_value(naming_, name) : nullptr;
  if (!other) {
    add_own(column.empty() ? name : column, extra);
    return rename(from, column.empty() ? "" : name);
  }
  chosen_.push_back({.column = {.name = name}, .asked = name, .other = other});
  take_form(chosen_.back(), false);
}

// What add_own() added gets the names that it has there: all of them, or only this one.
void ChosenColumns::rename(std::size_t from, const std::string& only) {
  const std::vector<Chosen> added(chosen_.begin() + static_cast<std::ptrdiff_t>(from), chosen_.end());
  chosen_.erase(chosen_.begin() + static_cast<std::ptrdiff_t>(from), chosen_.end());
  for (const Chosen& one : added) {
    const std::string name =
        one.field ? name_in(times_ == TimeForm::us ? times_ : TimeForm::ns, one.field->name()) : one.asked;
    const std::vector<std::string> all =
        naming_ == Naming::unitless ? std::vector{without_unit(one.column.name, times_)} : names_in(naming_, name);
    for (const std::string& other : only.empty() ? all : std::vector{only}) {
      chosen_.push_back(one);
      Chosen& renamed = chosen_.back();
      const bool keeps_unit = other.ends_with(name);
      renamed.column.name = other;
      renamed.asked = only.empty() ? one.asked : only;
      renamed.other = naming_ == Naming::unitless ? nullptr : other_value(naming_, other);
      take_form(renamed, keeps_unit);
    }
  }
}

// The form of the value, in place of that of our column.
void ChosenColumns::take_form(Chosen& chosen, bool keeps_unit) const {
  RowColumn& column = chosen.column;
  if (chosen.other) {
    column.type = chosen.other->type;
    column.time_text = chosen.other->time_text;
    column.zeek_type = chosen.other->zeek_type;
  }
  const bool is_element = naming_ == Naming::ipfix;  // whose name has the unit
  if (!keeps_unit && (column.type == FieldType::time || (column.type == FieldType::span && !is_element)))
    column.times = times_;
}

void ChosenColumns::add_own(const std::string& name, const ExtraColumns& extra) {
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
    const bool renamed = naming_ != Naming::usual || !chosen.field;
    if (met.insert(renamed ? chosen.column.name : chosen.field->name()).second) continue;
    throw Error("--columns: '" + shortened(chosen.asked) + "' is there twice", ExitStatus::usage);
  }
}

ColumnChoice ChosenColumns::all_of(Naming naming, const RecordLayout& layout, Format format) {
  if (naming == Naming::zeek) return {conn_log_with(layout), naming};
  ColumnChoice choice{{kKeyColumns, kKeyColumns + kKeyParts}, naming};
  const auto add = [&choice](std::string_view name, bool reverse) {
    choice.columns.push_back(std::string(reverse ? kReversePrefix : "").append(name));
  };
  const auto add_direction = [&add](bool reverse) {
    for (const std::string_view time : {"start_ns", "end_ns"}) add(time, reverse);
    for (const Column& column : kColumns) add(column.name, reverse);
  };
  add_direction(false);
  if (layout.vlan) add(kVlanColumn, false);
  if (layout.biflow) add_direction(true);
  if (format != Format::csv) add("duration_ns", false);
  if (format != Format::csv && layout.biflow) add("duration_ns", true);
  RecordLayout whole = layout;
  if (format == Format::parquet) add_standing_columns(whole);
  for (const auto& column : whole.extra) add(column->name(), false);
  return choice;
}

void ChosenColumns::must_be_in(const RecordLayout& layout, bool all) const {
  for (const Chosen& chosen : chosen_) {
    if (chosen.other && chosen.other->of_biflows && !layout.biflow) refuse_column(chosen.asked, " goes with --biflow");
    if (!chosen.field) continue;
    const Field field = *chosen.field;
    if (field.is_of_biflows() && !layout.biflow) refuse_column(chosen.asked, " goes with --biflow");
    if (field.kind == Field::Kind::vlan && !layout.vlan) refuse_column(chosen.asked, " goes with --key-vlan");
    if (field.kind == Field::Kind::annotation && !all) refuse_column(chosen.asked, " goes with --policy");
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
  const OtherValue* const other = chosen.other;
  if (other && other->of_flow) return other->of_flow(flow, noted, times_);
  RowValue own = chosen.field ? field_value(*chosen.field, flow, noted, times_) : value_of(*chosen.extra, flow, noted);
  return other ? other->converted(std::move(own)) : own;
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
