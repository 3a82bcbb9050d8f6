#include "show/sum_output.h"

#include <algorithm>
#include <string_view>

#include "warpmeter/status.h"

namespace warpmeter {
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

std::string key_text(const SumKey& key, const SumKeyValue& value, Audience audience, TimeForm times) {
  if (!key.is_address()) return whole_text(key.field().type(), value.number, audience, times);
  const std::string text = address_text(value.version, value.address);
  const auto bits = key.bits(value.version);
  return bits ? text + "/" + std::to_string(*bits) : text;
}

}  // namespace

SumOutput::SumOutput(const ShowOptions& options, OutputFile& output)
    : audience_(options.output.format == Format::table ? Audience::person : Audience::program),
      times_(options.output.times),
      keys_(options.sum_keys),
      chosen_(!options.columns.empty()),
      rows_(make_row_output(options.output, output)) {
  choose_columns(options.columns);
  if (!options.columns.empty()) return;
  for (const SumColumn& column : sum_columns()) {
    const bool usual = std::find(std::begin(kUsual), std::end(kUsual), column.name()) != std::end(kUsual);
    if (usual || audience_ == Audience::program) columns_.push_back(column);
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
    return audience_ == Audience::person ? field_title(name) : name_in(times_, name);
  };
  std::vector<RowColumn> columns;
  for (const SumKey& key : keys_)
    columns.push_back({title(key.name()), is_text(key.field().type(), audience_, times_), 0, key.is_address(), false});
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const int rank = chosen_ || i < kAlways ? 0 : static_cast<int>(i);
    columns.push_back({title(columns_[i].name()), is_text(columns_[i].type(), audience_, times_), rank, false,
                       tells_of_trouble(columns_[i].name())});
  }
  rows_->begin(columns);
}

std::vector<std::string> SumOutput::cells(const SumRow& row) const {
  std::vector<std::string> cells;
  std::size_t at = 0;
  for (const SumKey& key : keys_) cells.push_back(key_text(key, key.value(row.group, at), audience_, times_));
  for (const SumColumn& column : columns_) {
    cells.push_back(column.type() == FieldType::share
                        ? share_text(column.share(row), audience_)
                        : whole_text(column.type(), column.whole(row), audience_, times_));
  }
  return cells;
}

void SumOutput::write(const std::vector<const SumRow*>& rows) {
  begin();
  for (const SumRow* row : rows) rows_->write(cells(*row));
  rows_->end();
}

}  // namespace warpmeter
