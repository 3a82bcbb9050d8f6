#include "command/show/show_output.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "warpmeter/status.h"

namespace warpmeter::inline command {
namespace {

// Those that a look at a terminal asks for.
constexpr std::string_view kUsual[] = {"flows",
                                       "packets",
                                       "bytes",
                                       "retransmitted_segments",
                                       "retransmission_share",
                                       "duplicate_packets",
                                       "out_of_order_segments",
                                       "missing_bytes",
                                       "zero_window_count"};

constexpr std::size_t kAlways = 5;  // of these, however narrow a terminal is

}  // namespace

SumOutput::SumOutput(const ShowOptions& options, RowTarget target)
    : target_(std::move(target)), keys_(options.sum_keys), chosen_(!options.columns.empty()) {
  choose_columns(options.columns);
  if (!options.columns.empty()) return;
  for (const SumColumn& column : sum_columns()) {
    const bool usual = std::find(std::begin(kUsual), std::end(kUsual), column.name()) != std::end(kUsual);
    if (usual || target_.audience == Audience::program) columns_.push_back(column);
  }
}

// The keys are there in any case.
void SumOutput::choose_columns(const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const SumColumn& column : sum_columns()) known.push_back(column.name());
  for (const std::string& name : names) {
    if (std::any_of(keys_.begin(), keys_.end(), [&](const SumKey& key) { return key.name() == name; })) continue;
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) throw Error("--columns: " + no_such_field(name, known), ExitStatus::usage);
    columns_.push_back(sum_columns()[static_cast<std::size_t>(found - known.begin())]);
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
    const int rank = chosen_ || i < kAlways ? 0 : static_cast<int>(i);
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
    values.push_back(column.type() == FieldType::share ? share_value(column.share(row))
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
