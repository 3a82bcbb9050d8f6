// The summary of a run as a list of facts, each with its key for programs, its label for people, and its value for
// both: the text on standard error and the JSON of --stats are made of the same list. And what of it the summaries of
// all commands tell programs in the same words.
//
// Threads: a list by one; the functions by any.
#pragma once

#include <concepts>
#include <cstdint>
#include <exception>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/counters.h"
#include "packet/decode/unread_words.h"
#include "packet/file/trace_findings.h"
#include "warpmeter/flow_record.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {
struct SetFacts;
}

namespace warpmeter::inline pipeline {

class SummaryList {
 public:
  using Json = nlohmann::ordered_json;  // most users need not know what is in it

  SummaryList();
  SummaryList(SummaryList&&) noexcept;
  ~SummaryList();

  // `text`: its value in words; empty: people are not told, as of what happens rarely and did not.
  template <class Value>
  void add(std::string_view key, std::string_view label, const Value& value, std::string_view text) {
    add_for_programs(key, value);
    if (!text.empty()) add_for_people(label, text);
  }
  template <std::unsigned_integral Count>
  requires(!std::is_same_v<Count, bool>) void add_for_programs(std::string_view key, Count count) {
    add_count(key, count);
  }
  template <std::floating_point Number>
  void add_for_programs(std::string_view key, Number number) {
    add_number(key, number);
  }
  void add_for_programs(std::string_view key, const std::string& text);
  void add_for_programs(std::string_view key, const char* text) { add_for_programs(key, std::string(text)); }
  void add_for_programs(std::string_view key, const Json& value);
  void add_for_programs(const SetFacts& facts);  // all of them, by the keys of segment files
  // Counts by their names, as an object; `text` as above.
  void add_counts(std::string_view key, std::string_view label, std::span<const char* const> names,
                  std::span<const std::uint64_t> counts, std::string_view text);
  // One more object of an array, with all that this row tells programs.
  void add_row(std::string_view key, const SummaryList& row);
  // Of what programs find in a value that has a key of its own.
  void add_for_people(std::string_view label, std::string_view text);
  void add_lines(std::string_view lines) { text_ += lines; }  // as they are

  const std::string& text() const { return text_; }  // a line each
  const Json& json() const { return *json_; }        // an object

 private:
  void add_count(std::string_view key, std::uint64_t count);
  void add_number(std::string_view key, double number);

  std::string text_;
  std::unique_ptr<Json> json_;
};

// An object, or each of an array, with its keys as they were before (stats_keys.h) behind those that it has.
nlohmann::ordered_json with_old_keys(nlohmann::ordered_json json);

// As it stands in the file, with old keys as well. What is no UTF-8, as names of files may be, is replaced.
std::string stats_text(const nlohmann::ordered_json& json);

// Of a run that could not be finished: the exit status and the message are all that is known for sure.
std::string failure_json(const std::string& message, ExitStatus status = ExitStatus::failed);
// By what it threw (messages.h).
std::string failure_json(const std::exception& error);

// Packets that were not taken, by reason. And of these, what is not IP, and tunnels that were not opened.
nlohmann::ordered_json ignored_json(const DecodeCounters& decode);
nlohmann::ordered_json names_json(const NamedCounts& counts);
void add_unread(nlohmann::ordered_json& json, const DecodeCounters& decode);

// What reading brought to light.
nlohmann::ordered_json damage_json(const std::vector<Damage>& damage);
nlohmann::ordered_json skips_json(const Skips& skips);
nlohmann::ordered_json odd_fractions_json(const std::vector<OddFractions>& odd);

// Sums of the counters of Flow Records. Null where it is not known: of the columns in `absent`.
nlohmann::ordered_json totals_json(const FlowRecord& totals, std::uint32_t absent);

}  // namespace warpmeter::inline pipeline
