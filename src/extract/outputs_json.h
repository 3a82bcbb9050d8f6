// What was lost of each output that could not be written, for programs (--stats).
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "output/output_loss.h"

namespace warpmeter {

inline nlohmann::ordered_json outputs_json(const std::vector<OutputLossCounts>& outputs) {
  auto json = nlohmann::ordered_json::array();
  for (const OutputLossCounts& o : outputs) {
    json.push_back({{"output", o.output},
                    {"lost records", o.lost.records},
                    {"lost packets", o.lost.packets},
                    {"lost octets", o.lost.octets},
                    {"files not complete", o.files},
                    {"problem", o.problem}});
  }
  return json;
}

}  // namespace warpmeter
