// What reading brought to light, in the JSON of --stats.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "capture/trace_findings.h"

namespace warpmeter {

nlohmann::ordered_json damage_json(const std::vector<Damage>& damage);
nlohmann::ordered_json odd_fractions_json(const std::vector<OddFractions>& odd);

}  // namespace warpmeter
