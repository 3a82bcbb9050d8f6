#include "command/show/show_output.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "warpmeter/status.h"

namespace warpmeter::inline command {
namespace {

// Those that a look at a terminal asks for, and what of it goes first on a narrow one.
constexpr std::pair<std::string_view, int> kUsual[] = {{"flows", 4},
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
    const auto usual = std::ranges::find(kUsual, column.name(), &std::pair<std::string_view, int>::first);
    if (usual == std::end(kUsual) && target_.audience == Audience::person) continue;
    columns_.push_back(column);
    ranks_.push_back(usual == std::end(kUsual) ? 0 : usual->second);
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
