// A line of text on its way to a Flow Record: the named values of one flow, put in one by one in any order, then made
// into the record. What the CSV and the JSON reader have in common.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/record_reader.h"
#include "warpmeter/columns.h"

namespace warpmeter::inline record {

// What a column of a text format is called and where its values go.
struct Place {
  enum class Part : std::uint8_t { key, start, end, vlan, column };
  Part part;
  std::uint8_t number = 0;       // in kKeyColumns or in kColumns
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

  // One line, such as "packets: 'x' is not a number".
  const std::string& why() const { return why_; }

 private:
  struct Direction {
    std::array<std::int64_t, kColumns.size()> values;
    std::uint32_t present = 0;  // columns with a value
    std::int64_t start_ns = 0, end_ns = 0;
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
  std::string why_;
};

}  // namespace warpmeter::inline record
