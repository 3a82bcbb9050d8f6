// What the user asked of `warpmeter info FILE...`.
#pragma once

#include <string>
#include <vector>

#include "packet/file/input_format.h"

namespace warpmeter::inline command {

struct InfoOptions {
  std::vector<std::string> inputs;
  InputFormat input_format = InputFormat::automatic;  // of all inputs
  bool resync = false;                                // goes on behind damage
  bool recursive = false;                             // folders with all below them
  unsigned threads = 1;
  bool json = false;
  bool quiet = false;
};

}  // namespace warpmeter::inline command
