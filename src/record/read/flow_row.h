// A line of text on its way to a Flow Record: the named values of one flow, put in one by one in any order, then made
// into the record; and the columns of a table by their names. What the readers have in common.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/noted_columns.h"
#include "core/record_layout.h"
#include "core/record_reader.h"
#include "warpmeter/columns.h"

namespace warpmeter::inline record {

// What a column of a text format is called and where its values go.
struct Place {
  enum class Part : std::uint8_t { key, start, end, vlan, first_packet, column, annex };
  Part part;
  std::uint8_t number = 0;       // in kKeyColumns or in kColumns, or an AnnexField
  bool reverse = false;          // of a biflow's other direction
  TimeForm form = TimeForm::ns;  // of a time

  // Nothing if no Flow Record has such a column.
  static std::optional<Place> of(std::string_view name);
  std::string name() const;
  // Two names of one value, such as start_ns and start_us.
  bool same_value(const Place& other) const {
    return part == other.part && number == other.number && reverse == other.reverse;
  }
};

class FlowRow {
 public:
  void clear();

  // Empty text is no value. False if the text is none for this column; why() then says so.
  bool put(Place place, std::string_view text);
  bool put(Place place, std::int64_t value);

  // The record; `missing` is the set of columns that the file does not have. False if the row lacks a part of the Flow
  // Key or a time; why() then says so.
  bool finish(std::uint32_t missing, Biflow& flow);

  // Adds what the row has of annexes.
  void give_annexes(Annotations& to) const;

  // One line, such as "packets: 'x' is not a number".
  const std::string& why() const { return why_; }

 private:
  struct Direction {
    std::array<std::int64_t, kColumns.size()> values;
    std::uint32_t present = 0;  // columns with a value
    std::int64_t start_ns = 0, end_ns = 0;
    std::int64_t first_packet = 0;  // 0: not known
    bool has_start = false, has_end = false;
  };

  bool put_utc(Place place, std::string_view text);
  bool put_address(Place place, std::string_view text);
  bool put_key_number(Place place, std::int64_t value);
  bool refuse(Place place, std::string_view text, const char* not_a);
  static void make(const Direction& direction, std::uint32_t missing, FlowRecord& record);

  FlowKey key_;
  std::uint8_t versions_[2] = {};  // of source and destination
  std::uint32_t key_present_ = 0;  // bits of kKeyColumns
  Direction directions_[2];
  Annex annexes_[2];
  std::string why_;
};

// What the columns of a table of Flow Records are, by their names, in any order. Columns of other names are passed
// over, unless they are annotations (noted_columns.h); columns that are missing are absent in every record; without
// Flow Key and times there is no Flow Record.
class NamedColumns {
 public:
  NamedColumns();

  // The next column. In one line why this makes no Flow Records of the table, or "".
  std::string add(std::string_view name);
  // After all of them: the first that is needed and not there, or "".
  std::string_view missing() const;
  // After all of them, of a table of text: others are annotations, if there are any.
  void find_annotations();
  ExtraColumns of_annexes() const { return annex_columns(annexes_[0], annexes_[1]); }

  const std::vector<std::optional<Place>>& places() const { return places_; }  // nothing: is passed over
  const RecordLayout& layout() const { return layout_; }
  const NotedColumns& noted() const { return noted_; }
  // Of a column that is passed over otherwise.
  std::optional<std::uint32_t> noted_number(std::size_t column) const {
    return column < numbers_.size() ? numbers_[column] : std::nullopt;
  }

 private:
  std::vector<std::optional<Place>> places_;
  std::vector<Place> known_;                                // of these
  std::vector<std::pair<std::size_t, std::string>> other_;  // the first columns that are none of these
  bool has_labels_ = false;
  std::uint32_t annexes_[2] = {};  // AnnexFields that have columns
  NotedColumns noted_;
  std::vector<std::optional<std::uint32_t>> numbers_;  // of columns in noted_
  RecordLayout layout_;
};

}  // namespace warpmeter::inline record
