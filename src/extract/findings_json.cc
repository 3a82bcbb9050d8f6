#include "extract/findings_json.h"

namespace warpmeter {

nlohmann::ordered_json damage_json(const std::vector<Damage>& damage) {
  auto all = nlohmann::ordered_json::array();
  for (const Damage& d : damage) {
    all.push_back({{"file", d.file}, {"offset", d.offset}, {"reason", d.reason}});
    if (d.skipped) all.back()["skipped"] = d.skipped;
  }
  return all;
}

nlohmann::ordered_json odd_fractions_json(const std::vector<OddFractions>& odd) {
  auto all = nlohmann::ordered_json::array();
  for (const OddFractions& o : odd) all.push_back({{"file", o.file}, {"offset", o.offset}});
  return all;
}

}  // namespace warpmeter
