// What the summaries of all commands tell programs (--stats) in the same words.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <exception>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/counters.h"
#include "packet/decode/unread_words.h"
#include "packet/file/trace_findings.h"
#include "warpmeter/flow_record.h"
#include "warpmeter/status.h"

namespace warpmeter::inline pipeline {

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
