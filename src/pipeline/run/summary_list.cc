#include "pipeline/run/summary_list.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/program/messages.h"
#include "base/words/json_value_text.h"
#include "base/words/printable.h"
#include "base/words/stats_keys.h"
#include "packet/segments/set_facts.h"
#include "warpmeter/columns.h"

namespace warpmeter::inline pipeline {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

SummaryList::SummaryList() : json_(std::make_unique<Json>(Json::object())) {}
SummaryList::SummaryList(SummaryList&&) noexcept = default;
SummaryList::~SummaryList() = default;

void SummaryList::add_for_programs(std::string_view key, const Json& value) { (*json_)[std::string(key)] = value; }

void SummaryList::add_for_programs(std::string_view key, const std::string& text) { (*json_)[std::string(key)] = text; }

void SummaryList::add_for_programs(const SetFacts& facts) { json_->update(set_facts_value(facts)); }

void SummaryList::add_count(std::string_view key, std::uint64_t count) { (*json_)[std::string(key)] = count; }

void SummaryList::add_number(std::string_view key, double number) { (*json_)[std::string(key)] = number; }

void SummaryList::add_counts(std::string_view key, std::string_view label, std::span<const char* const> names,
                             std::span<const std::uint64_t> counts, std::string_view text) {
  Json json = Json::object();
  for (std::size_t i = 0; i < counts.size(); ++i) json[names[i]] = counts[i];
  add(key, label, json, text);
}

void SummaryList::add_row(std::string_view key, const SummaryList& row) {
  Json& rows = (*json_)[std::string(key)];
  rows.push_back(row.json());
}

void SummaryList::add_for_people(std::string_view label, std::string_view text) {
  text_ += fmt::format("  {:<19} {}\n", label, printable(text));
}

Json with_old_keys(Json json) {
  if (json.is_array()) {
    for (Json& one : json) one = with_old_keys(std::move(one));
    return json;
  }
  Json old = Json::object();
  for (const auto& [key, value] : json.items()) {
    if (const std::string before = old_stats_key(key); before != key) old[before] = value;
  }
  json.update(old);
  return json;
}

std::string stats_text(const Json& json) { return json_text(with_old_keys(json), 2) + "\n"; }

std::string failure_json(const std::string& message, ExitStatus status) {
  return stats_text({{"exit_status", static_cast<int>(status)}, {"error", message}});
}

std::string failure_json(const std::exception& error) {
  const auto* const known = dynamic_cast<const Error*>(&error);
  return failure_json(failure_words(error), known ? known->status() : ExitStatus::failed);
}

Json ignored_json(const DecodeCounters& decode) {
  Json ignored = Json::object();
  for (int i = 0; i < kIgnoredReasons; ++i) ignored[kIgnoredNames[i]] = decode.ignored[i];
  return ignored;
}

Json names_json(const NamedCounts& counts) {
  Json object = Json::object();
  for (const auto& [name, count] : counts.names) object[name] = count;
  if (counts.others) object["others"] = counts.others;
  return object;
}

void add_unread(Json& json, const DecodeCounters& decode) {
  json["not_ip"] = names_json(not_ip_names(decode, kMostNames));
  json["tunnels_not_opened"] = names_json(unopened_names(decode, kMostNames));
}

Json damage_json(const std::vector<Damage>& damage) {
  Json all = Json::array();
  for (const Damage& d : damage) {
    all.push_back({{"file", d.file}, {"offset", d.offset}, {"reason", d.reason}});
    if (d.skipped) all.back()["skipped"] = d.skipped;
  }
  return all;
}

Json skips_json(const Skips& skips) { return {{"places", skips.places}, {"bytes", skips.bytes}}; }

Json odd_fractions_json(const std::vector<OddFractions>& odd) {
  Json all = Json::array();
  for (const OddFractions& o : odd) all.push_back({{"file", o.file}, {"offset", o.offset}});
  return all;
}

Json totals_json(const FlowRecord& t, std::uint32_t absent) {
  Json totals;
#define WARPMETER_TOTAL(name, ...) totals[#name] = t.name;
  WARPMETER_FLOW_COUNTERS(WARPMETER_TOTAL)
#undef WARPMETER_TOTAL
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    if (is_counter(i) && (absent >> i & 1)) totals[std::string(kColumns[i].name)] = nullptr;
  }
  return totals;
}

}  // namespace warpmeter::inline pipeline
