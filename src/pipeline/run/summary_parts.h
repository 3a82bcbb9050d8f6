// What single facts of a summary are, in words and as JSON. For summary_facts.cc alone, which makes the list of them.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "pipeline/run/summary.h"

namespace warpmeter::inline pipeline {

// In words. Empty: there is nothing to be told.
std::string end_reasons_text(const JoinCounters& join);
std::string files_text(std::uint64_t n);
std::string time_runs_back_text(const Summary& s);
std::string folder_text(const Summary& s);
std::string points_text(const std::vector<PointCounts>& points);  // "2 interfaces and feeders": only what there is
std::string stages_text(const Summary& s);
std::string exported_text(const ExportCounters& c);
std::string frames_of_segments_text(std::span<const RingCounts> rings);
std::string sample_text(const Summary& s);
std::string rounds_text(const Summary& s);  // REQUIRES: the bound may change

inline std::string sample_rate(std::uint32_t one_in) { return "1/" + std::to_string(one_in); }

// For programs.
nlohmann::ordered_json exported_json(const ExportReport& report);
nlohmann::ordered_json capture_json(const Summary& s);
nlohmann::ordered_json outputs_json(const std::vector<OutputLossCounts>& outputs);
nlohmann::ordered_json streams_json(const StreamFeedCounts& c);
nlohmann::ordered_json sample_changes_json(const Summary& s);  // REQUIRES: there are such
nlohmann::ordered_json rounds_changes_json(const Summary& s);  // REQUIRES: the bound may change
nlohmann::ordered_json end_reasons_json(const JoinCounters& join);
nlohmann::ordered_json folder_json(const Summary& s);
nlohmann::ordered_json unreadable_json(const Summary& s);
nlohmann::ordered_json time_runs_back_json(const Summary& s);
nlohmann::ordered_json stages_json(const Summary& s);

}  // namespace warpmeter::inline pipeline
